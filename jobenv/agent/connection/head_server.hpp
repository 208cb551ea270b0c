#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/connection/control_connection.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/protocol/messages.hpp"

namespace ddp::agent {

/// Where head can be reached.
enum class Reach { this_host, all_hosts };

/// The listening side of the control connections. A connection becomes an agent's when its first line is the
/// nonce and its second a Hello, both within 2 s; all others are closed without a word. When there are too
/// many that have not said who they are, the oldest that has not sent the nonce makes room for the next one.
class HeadServer {
 public:
  using OnAgent = std::function<void(Hello hello, std::unique_ptr<ControlConnection> connection)>;

  /// Binds a free port. `loop` must outlive the server; `on_agent` sets the connection's handlers before it
  /// returns.
  [[nodiscard]] static Expected<std::unique_ptr<HeadServer>> open(EventLoop& loop, Reach reach,
                                                                  std::string nonce, OnAgent on_agent);
  HeadServer(const HeadServer&) = delete;
  HeadServer& operator=(const HeadServer&) = delete;
  ~HeadServer();

  /// "address:port" of every address that agents may try.
  [[nodiscard]] const std::vector<std::string>& endpoints() const { return endpoints_; }
  /// How many connections were closed because they did not say who they are.
  [[nodiscard]] std::uint64_t turned_away() const { return turned_away_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// A connection that has not said who it is.
  struct Guest {
    std::uint64_t number = 0;
    std::unique_ptr<ControlConnection> connection;
    Clock::time_point deadline;
    bool knows_nonce = false;
  };
  using GuestPlace = std::list<Guest>::iterator;
  /// One that has just come has had no time to introduce itself.
  enum class Newest { may_go, stays };

  HeadServer(EventLoop& loop, FileDescriptor socket, std::string nonce, OnAgent on_agent);
  [[nodiscard]] Expected<void> listen_on(Reach reach);
  void accept_guests();
  void take_in(FileDescriptor socket);
  void on_line(GuestPlace guest, std::string_view line);
  void dismiss(GuestPlace guest);
  /// Reads what it has sent until now. False: it is a guest no longer.
  [[nodiscard]] bool hear_out(GuestPlace guest);
  /// The oldest guest that has not sent the nonce, as far as it was read; the end: there is none.
  [[nodiscard]] GuestPlace find_stranger();
  /// Lets that one go, if it stays a stranger when all that it has sent is read. False: there is none.
  [[nodiscard]] bool push_out(Newest newest);
  void watch_lateness();
  void dismiss_late();
  void pause();

  EventLoop& loop_;
  FileDescriptor socket_;
  std::string nonce_;
  OnAgent on_agent_;
  EventLoop::WatchId watch_ = 0;
  EventLoop::TimerId pause_ = 0;
  EventLoop::TimerId lateness_ = 0;  ///< when the oldest guest is late; 0: there was none
  std::vector<std::string> endpoints_;
  std::size_t guest_limit_;
  std::list<Guest> guests_;
  std::uint64_t next_guest_ = 0;
  std::uint64_t turned_away_ = 0;
};

}  // namespace ddp::agent
