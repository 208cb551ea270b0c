#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/control_connection.hpp"
#include "jobenv/agent/event_loop.hpp"
#include "jobenv/agent/messages.hpp"

namespace ddp::agent {

/// Where head can be reached.
enum class Reach { this_host, all_hosts };

/// The listening side of the control connections. A connection becomes an agent's when its first line is the
/// nonce and its second a Hello, both within 10 s; all others are closed without a word.
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

 private:
  /// A connection that has not said who it is.
  struct Guest {
    std::unique_ptr<ControlConnection> connection;
    EventLoop::TimerId deadline = 0;
    bool knows_nonce = false;
  };
  using GuestPlace = std::list<Guest>::iterator;

  HeadServer(EventLoop& loop, FileDescriptor socket, std::string nonce, OnAgent on_agent);
  [[nodiscard]] Expected<void> listen_on(Reach reach);
  void accept_guest();
  void on_line(GuestPlace guest, std::string_view line);
  void dismiss(GuestPlace guest);
  void pause();
  void update_watch();

  EventLoop& loop_;
  FileDescriptor socket_;
  std::string nonce_;
  OnAgent on_agent_;
  EventLoop::WatchId watch_ = 0;
  EventLoop::TimerId pause_ = 0;
  std::vector<std::string> endpoints_;
  std::list<Guest> guests_;
};

}  // namespace ddp::agent
