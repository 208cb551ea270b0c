#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "jobenv/agent/connection/socket_address.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// One TCP connection that carries lines. Non-blocking in both directions; a peer that sends a line over the
/// limit, or does not read while 16 MiB wait for it, is cut off.
class ControlConnection {
 public:
  struct Handlers {
    std::function<void(std::string_view line)> line;     ///< without its newline
    std::function<void(const std::string& why)> closed;  ///< once; nothing comes after it
  };

  /// Takes a connected socket. `loop` must outlive the connection. Handlers may destroy the connection.
  ControlConnection(EventLoop& loop, FileDescriptor socket, std::size_t max_line, Handlers handlers);
  ControlConnection(const ControlConnection&) = delete;
  ControlConnection& operator=(const ControlConnection&) = delete;
  ~ControlConnection();

  void set_handlers(Handlers handlers) { handlers_ = std::move(handlers); }
  void set_max_line(std::size_t bytes) { max_line_ = bytes; }

  /// Takes what has come, before the loop says so. Handlers may destroy the connection, as ever.
  void read_more();

  /// Adds the newline. Sends what the socket takes now, the rest when it takes more.
  void send_line(std::string_view line);

  [[nodiscard]] std::string local_host() const;
  [[nodiscard]] std::string remote_host() const;
  /// With the port.
  [[nodiscard]] std::string remote_endpoint() const;
  /// Since a byte was read last, or since the connection was made. The time in which this process did not run
  /// itself does not count.
  [[nodiscard]] std::chrono::steady_clock::duration silence() const {
    return std::chrono::steady_clock::now() - std::max(last_heard_, loop_.awake_since());
  }
  /// Whether the other side has said nothing for longer than `lease`. Reads what has come before it says so:
  /// a process that is busy reads late. Handlers may destroy the connection, as ever; then it is not silent.
  [[nodiscard]] bool is_silent_for(std::chrono::milliseconds lease);

 private:
  void on_ready(std::uint32_t events);
  void deliver_lines();
  void write_more();
  void close(const std::string& why);

  EventLoop& loop_;
  FileDescriptor socket_;
  std::size_t max_line_;
  Handlers handlers_;
  EventLoop::WatchId watch_ = 0;
  EventLoop::TimerId failure_ = 0;
  std::string incoming_;
  std::string outgoing_;
  std::chrono::steady_clock::time_point last_heard_ = std::chrono::steady_clock::now();
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  ///< expires with the connection
};

}  // namespace ddp::agent
