#include "jobenv/agent/controller/roll_call.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "ddp/jobenv/host_list.hpp"

namespace ddp::agent {
namespace {

std::string render_place(const RankPlace& place) {
  return "rank " + std::to_string(place.rank) + " (node " + std::to_string(place.node_rank) +
         ", local rank " + std::to_string(place.local_rank) + ")";
}

bool is_remote(const ConnectionEnds& ends) {
  return ends.head != ends.agent;
}

}  // namespace

RollCall::RollCall(const LaunchPlan& plan, std::vector<std::string> hosts)
    : layout_(layout_of(plan)),
      expected_hosts_(std::move(hosts)),
      expected_(expected_hosts_.begin(), expected_hosts_.end()) {
  planned_nodes_.resize(static_cast<std::size_t>(layout_.nodes()));
  std::iota(planned_nodes_.begin(), planned_nodes_.end(), 0);
}

Expected<void> RollCall::add(const AgentJoined& joined) {
  if (auto good = check(joined); !good)
    return tl::unexpected(good.error().context("agent on " + joined.hello.host));
  take_in(joined);
  return {};
}

void RollCall::take_in(const AgentJoined& joined) {
  const Hello& hello = joined.hello;
  const int node = hello.ranks.front().node_rank;
  for (const RankPlace& place : hello.ranks) agent_of_[place.rank] = joined.agent;
  node_of_[hello.host] = node;
  nodes_[node].host = hello.host;
  ++nodes_[node].agents;
  agents_.emplace(joined.agent, joined);
}

Expected<void> RollCall::check(const AgentJoined& joined) const {
  const auto refuse = [](const std::string& why) { return fail(ExitCode::run_failed, why); };
  const std::string& host = joined.hello.host;
  if (joined.hello.ranks.empty()) return refuse("it has no ranks");
  if (!expected_.empty() && !expected_.contains(host)) {
    return refuse("this host is not one of the job's");
  }
  for (const RankPlace& place : joined.hello.ranks) {
    const bool known = place.rank >= 0 && place.rank < layout_.world_size();
    if (!known || layout_.place(place.rank) != place) {
      return refuse(render_place(place) + " is not in the plan, which has " + layout_.render() +
                    " ranks per node");
    }
    if (agent_of_.contains(place.rank)) return refuse(render_place(place) + " already has an agent");
    if (const auto other = find_contradiction(host, place.node_rank); !other.empty())
      return refuse("this host cannot be node " + std::to_string(place.node_rank) + ": " + other);
  }
  return {};
}

/// One host is one node.
std::string RollCall::find_contradiction(const std::string& host, int node) const {
  const auto own = node_of_.find(host);
  if (own != node_of_.end() && own->second != node) return host + " is node " + std::to_string(own->second);
  const auto other = nodes_.find(node);
  if (other == nodes_.end() || other->second.host == host) return {};
  return other->second.host + " is node " + std::to_string(node);
}

void RollCall::remove(AgentId agent) {
  const auto left = agents_.extract(agent);
  if (left.empty()) return;
  const Hello& hello = left.mapped().hello;
  for (const RankPlace& place : hello.ranks) agent_of_.erase(place.rank);
  const auto node = nodes_.find(hello.ranks.front().node_rank);
  if (--node->second.agents > 0) return;
  nodes_.erase(node);
  node_of_.erase(hello.host);
}

std::string RollCall::render_missing() const {
  constexpr int kMostNamed = 8;
  std::string names;
  int missing = 0;
  for (int rank = 0; rank < layout_.world_size(); ++rank) {
    if (agent_of_.contains(rank) || ++missing > kMostNamed) continue;
    names += (names.empty() ? "" : ", ") + std::to_string(rank);
  }
  const auto hosts = missing_hosts();
  return std::to_string(agent_of_.size()) + " of " + std::to_string(layout_.world_size()) +
         " ranks have connected; missing: " + names + (missing > kMostNamed ? ", …" : "") +
         (hosts.empty() ? "" : "; no agent from " + HostList(hosts).compress());
}

std::vector<std::string> RollCall::missing_hosts() const {
  std::vector<std::string> missing;
  std::ranges::copy_if(expected_hosts_, std::back_inserter(missing),
                       [this](const std::string& host) { return !node_of_.contains(host); });
  return missing;
}

bool RollCall::is_present(int node) const {
  return std::ranges::all_of(layout_.places_on(node),
                             [this](const RankPlace& place) { return agent_of_.contains(place.rank); });
}

std::vector<int> RollCall::present_nodes() const {
  std::vector<int> present;
  std::ranges::copy_if(planned_nodes_, std::back_inserter(present),
                       [this](int node) { return is_present(node); });
  return present;
}

void RollCall::reduce_to(int nodes) {
  planned_nodes_ = present_nodes();
  planned_nodes_.resize(static_cast<std::size_t>(nodes));
  const auto tasks = layout_.tasks_per_node();
  layout_ = RankLayout::make({tasks.begin(), tasks.begin() + nodes}).value();
  agent_of_.clear();
  nodes_.clear();
  node_of_.clear();
  for (auto& [id, joined] : std::exchange(agents_, {})) {
    const int planned = joined.hello.ranks.front().node_rank;
    const auto found = std::ranges::lower_bound(planned_nodes_, planned);
    if (found == planned_nodes_.end() || *found != planned) continue;
    const auto places = layout_.places_on(static_cast<int>(found - planned_nodes_.begin()));
    for (RankPlace& place : joined.hello.ranks) place = places.at(static_cast<std::size_t>(place.local_rank));
    take_in(joined);
  }
}

std::optional<AgentId> RollCall::agent_of(int rank) const {
  const auto found = agent_of_.find(rank);
  return found == agent_of_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> RollCall::hosts() const {
  std::vector<std::string> hosts(static_cast<std::size_t>(layout_.nodes()));
  for (const auto& [id, joined] : agents_) {
    hosts.at(static_cast<std::size_t>(joined.hello.ranks.front().node_rank)) = joined.hello.host;
  }
  return hosts;
}

std::string RollCall::interface_of(AgentId agent) const {
  if (layout_.nodes() == 1) return "127.0.0.1";
  const AgentJoined& own = agents_.at(agent);
  if (!own.hello.interface.empty()) return own.hello.interface;
  if (is_remote(own.ends)) return own.ends.agent;
  for (const auto& [rank, other] : agent_of_) {
    if (is_remote(agents_.at(other).ends)) return agents_.at(other).ends.head;
  }
  return own.ends.agent;
}

}  // namespace ddp::agent
