#include "cli/launchers/ssh/returning_hosts.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "cli/launchers/ssh/connection/host_pool.hpp"

namespace ddp::cli {
namespace {

/// False: not yet, or its agent lives, which refuses a second one. The host does not answer, or has not
/// mounted the run folder.
bool start_again(HostConnector& connector, const RemoteAgent& program, const NodeAgentOrder& node,
                 const std::atomic<bool>& ends) {
  const auto host = connector.connect(node.target, program);
  return host && !ends && ask_for<remote::NodeStarted>(**host, node.target.host, node.start).has_value();
}

}  // namespace

ReturningHosts::ReturningHosts(HostConnector& connector, RemoteAgent program,
                               std::vector<NodeAgentOrder> nodes, std::chrono::milliseconds pause,
                               Clock& clock)
    : connector_(connector),
      program_(std::move(program)),
      nodes_(std::move(nodes)),
      clock_(clock),
      pause_(pause),
      next_look_(clock.steady() + pause) {}

std::vector<std::string> ReturningHosts::look(std::span<const std::string> taking_part) {
  for (const auto& host : taking_part) told_.erase(host);
  if (search_.valid()) {
    if (search_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
    return tell(search_.get());
  }
  auto absent = find_absent(taking_part);
  const auto now = clock_.steady();
  if (!absent.empty() && now < next_look_) return {};
  next_look_ = now + pause_;
  if (!absent.empty()) begin_search(std::move(absent));
  return {};
}

void ReturningHosts::begin_search(std::vector<std::size_t> absent) {
  const auto search = [this, absent = std::move(absent)] {
    std::vector<char> started(absent.size());
    do_on_all(absent.size(), [&](std::size_t index) {
      started[index] = start_again(connector_, program_, nodes_[absent[index]], ends_) ? 1 : 0;
    });
    std::vector<std::string> names;
    for (std::size_t index = 0; index < absent.size(); ++index) {
      if (started[index] != 0) names.push_back(nodes_[absent[index]].target.host);
    }
    return names;
  };
  try {
    search_ = std::async(std::launch::async, search);
  } catch (const std::system_error&) {  // the user may have no more threads now
  }
}

std::vector<std::size_t> ReturningHosts::find_absent(std::span<const std::string> taking_part) const {
  std::vector<std::size_t> absent;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (std::ranges::find(taking_part, nodes_[node].target.host) == taking_part.end()) absent.push_back(node);
  }
  return absent;
}

/// An agent that cannot reach head leaves again, and is started again.
std::vector<std::string> ReturningHosts::tell(const std::vector<std::string>& started) {
  std::vector<std::string> news;
  std::ranges::copy_if(started, std::back_inserter(news),
                       [this](const std::string& host) { return told_.insert(host).second; });
  return news;
}

}  // namespace ddp::cli
