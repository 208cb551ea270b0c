#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/connection/control_connection.hpp"
#include "jobenv/agent/node/node_agent.hpp"
#include "jobenv/agent/node/record_stream.hpp"

namespace ddp::agent {

/// An agent that is not in head's process: finds head, for which it tries until the plan's
/// rendezvous_timeout, holds the ranks that it is told to, and stays until head lets it go. Without head for
/// the length of the lease, or when its connection ends, it kills its ranks and leaves; on an ssh host it
/// first looks for head for a while, if nothing says that head is gone: its host may have been cut off.
class AgentSession {
 public:
  using Log = std::function<void(const std::string& line)>;
  AgentSession(NodeAgentSettings settings, Log log) : settings_(std::move(settings)), log_(std::move(log)) {}

  /// Returns the exit code of the process: 0 when head has ended the run, one of agent_exit.hpp when head was
  /// never found.
  [[nodiscard]] int run();

 private:
  void find_head();
  void serve(FileDescriptor socket);
  [[nodiscard]] int serve_run();
  /// False: its ranks do not end.
  [[nodiscard]] bool await_predecessor() const;
  /// What this agent says first.
  [[nodiscard]] Hello introduction();
  [[nodiscard]] bool predecessor_has_ended() const;
  void remove_secrets() const;
  void on_signal(int signal);
  void on_line(std::string_view line);
  void end();
  void report(const AgentMessage& message);
  void check_lease();
  void leave_without_head(const std::string& why);
  void end_without_head();
  void look_again();

  NodeAgentSettings settings_;
  Log log_;
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<NodeAgent> agent_;
  std::optional<RecordStream> records_;  ///< where head has another run folder
  std::unique_ptr<ControlConnection> connection_;
  bool has_predecessor_ = false;  ///< whose ranks do not end
  std::string endpoint_;          ///< of head; empty until it was found
  bool abandoned_ = false;        ///< head is not there
  EventLoop::TimerId lease_check_ = 0;
  EventLoop::TimerId patience_ = 0;  ///< with ranks that no signal ends, or until head is looked for again
  std::chrono::steady_clock::time_point give_up_at_;  ///< where head is not found
  std::chrono::milliseconds pause_{0};                ///< until it is looked for once more
  int denials_ = 0;                                   ///< tries in a row that say that it is not there
  std::chrono::steady_clock::time_point last_word_;   ///< of head, when it was lost
  int exit_code_ = 1;
};

}  // namespace ddp::agent
