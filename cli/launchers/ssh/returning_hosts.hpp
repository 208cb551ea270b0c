#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/launchers/ssh/connection/remote_host.hpp"
#include "cli/system/clock.hpp"

namespace ddp::cli {

/// How the agent of a node is started.
struct NodeAgentOrder {
  SshTarget target;
  remote::StartNode start;
};

/// Starts agents again on hosts that were away, by reboot or for so long that their agents have left: head
/// takes them back at the next restart of the ranks. One thread; the hosts are asked on another one.
class ReturningHosts {
 public:
  /// `nodes`: all but head's. `pause`: between two looks, and before the first one. The references outlive
  /// this, whose destructor waits for the answers of hosts that are asked: where one does not answer, for its
  /// connect time-out, 30 s for its greeting and a minute for its agent.
  ReturningHosts(HostConnector& connector, RemoteAgent program, std::vector<NodeAgentOrder> nodes,
                 std::chrono::milliseconds pause, Clock& clock);
  ReturningHosts(const ReturningHosts&) = delete;
  ReturningHosts& operator=(const ReturningHosts&) = delete;
  ~ReturningHosts() { ends_ = true; }

  /// Looks now and then at the hosts that are not in `taking_part`; does not block. The names of those whose
  /// agent was started again since the last call, each once for each absence.
  [[nodiscard]] std::vector<std::string> look(std::span<const std::string> taking_part);

 private:
  [[nodiscard]] std::vector<std::size_t> find_absent(std::span<const std::string> taking_part) const;
  void begin_search(std::vector<std::size_t> absent);
  [[nodiscard]] std::vector<std::string> tell(const std::vector<std::string>& started);

  HostConnector& connector_;
  RemoteAgent program_;
  std::vector<NodeAgentOrder> nodes_;
  Clock& clock_;
  std::chrono::milliseconds pause_;
  std::set<std::string> told_;  // of hosts that are absent
  std::chrono::steady_clock::time_point next_look_;
  std::atomic<bool> ends_ = false;
  std::future<std::vector<std::string>> search_;  // last: its end is waited for before the others go
};

}  // namespace ddp::cli
