#include "cli/launch/ssh/returning_hosts.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "cli/launch/ssh/host_pool.hpp"

namespace ddp::cli {
namespace {

/// Between two looks, and before the first one: a short absence ends by itself.
constexpr std::chrono::seconds kPause{15};

/// nullopt: there is nothing to do, or not yet: its agent lives, the host does not answer, or has not mounted
/// the run folder.
std::optional<Expected<remote::ProcessName>> start_again(HostConnector& connector, const RemoteAgent& program,
                                                         const NodeAgentOrder& node) {
  const auto host = connector.connect(node.target, program);
  if (!host) return std::nullopt;
  const std::string& name = node.target.host;
  if (node.agent) {
    const auto seen = ask_for<remote::ProcessSeen>(**host, name, remote::SendSignal{*node.agent, 0});
    if (!seen || seen->alive) return std::nullopt;
  }
  const auto started = ask_for<remote::NodeStarted>(**host, name, node.start);
  if (started) return started->process;
  if (started.error().code != ExitCode::outcome_unknown) return std::nullopt;
  return tl::unexpected(started.error());
}

}  // namespace

ReturningHosts::ReturningHosts(HostConnector& connector, RemoteAgent program,
                               std::vector<NodeAgentOrder> nodes, Clock& clock)
    : connector_(connector),
      program_(std::move(program)),
      nodes_(std::move(nodes)),
      clock_(clock),
      next_look_(clock.steady() + kPause) {}

std::vector<std::string> ReturningHosts::look(std::span<const std::string> taking_part) {
  if (search_.valid()) {
    if (search_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
    return take(search_.get());
  }
  auto absent = find_absent(taking_part);
  const auto now = clock_.steady();
  if (!absent.empty() && now < next_look_) return {};
  next_look_ = now + kPause;
  if (!absent.empty()) begin_search(std::move(absent));
  return {};
}

void ReturningHosts::begin_search(std::vector<std::size_t> absent) {
  const auto search = [this, absent = std::move(absent)] {
    std::vector<std::optional<Expected<remote::ProcessName>>> agents(absent.size());
    do_on_all(absent.size(), [&](std::size_t index) {
      agents[index] = start_again(connector_, program_, nodes_[absent[index]]);
    });
    std::vector<Found> found;
    for (std::size_t index = 0; index < absent.size(); ++index) {
      if (agents[index]) found.push_back({absent[index], std::move(*agents[index])});
    }
    return found;
  };
  try {
    search_ = std::async(std::launch::async, search);
  } catch (const std::system_error&) {  // the user may have no more threads now
  }
}

std::vector<std::size_t> ReturningHosts::find_absent(std::span<const std::string> taking_part) const {
  std::vector<std::size_t> absent;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const bool takes_part = std::ranges::find(taking_part, nodes_[node].target.host) != taking_part.end();
    if (!takes_part && !nodes_[node].is_doubtful) absent.push_back(node);
  }
  return absent;
}

std::vector<std::string> ReturningHosts::take(const std::vector<Found>& found) {
  std::vector<std::string> started;
  for (const auto& [node, agent] : found) {
    nodes_[node].is_doubtful = !agent;
    if (!agent) continue;
    nodes_[node].agent = *agent;
    started.push_back(nodes_[node].target.host);
  }
  return started;
}

}  // namespace ddp::cli
