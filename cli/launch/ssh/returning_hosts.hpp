#pragma once

#include <chrono>
#include <cstddef>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/ssh/remote_host.hpp"
#include "cli/system/clock.hpp"

namespace ddp::cli {

/// The agent of a node, and how another one is started.
struct NodeAgentOrder {
  SshTarget target;
  remote::StartNode start;
  std::optional<remote::ProcessName> agent = {};  ///< that was started last
  /// Nobody knows whether there is one: two of them would take each other's place.
  bool is_doubtful = false;
};

/// Starts agents again on hosts that were away, by reboot or for so long that their agents have left: head
/// takes them back at the next restart of the ranks. One thread; the hosts are asked on another one.
class ReturningHosts {
 public:
  /// `nodes`: all but head's. The references outlive this, whose destructor waits for the hosts that are
  /// asked: at most their connect time-out where they do not answer.
  ReturningHosts(HostConnector& connector, RemoteAgent program, std::vector<NodeAgentOrder> nodes,
                 Clock& clock);

  /// Looks now and then at the hosts that are not in `taking_part`; does not block. The names of those whose
  /// agent was started again since the last call.
  [[nodiscard]] std::vector<std::string> look(std::span<const std::string> taking_part);

 private:
  struct Found {
    std::size_t node;
    Expected<remote::ProcessName> agent;
  };
  [[nodiscard]] std::vector<std::size_t> find_absent(std::span<const std::string> taking_part) const;
  void begin_search(std::vector<std::size_t> absent);
  [[nodiscard]] std::vector<std::string> take(const std::vector<Found>& found);

  HostConnector& connector_;
  RemoteAgent program_;
  std::vector<NodeAgentOrder> nodes_;
  Clock& clock_;
  std::chrono::steady_clock::time_point next_look_;
  std::future<std::vector<Found>> search_;  // last: its end is waited for before the others go
};

}  // namespace ddp::cli
