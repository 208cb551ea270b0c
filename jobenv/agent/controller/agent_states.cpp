#include "jobenv/agent/controller/agent_states.hpp"

#include <algorithm>
#include <iterator>

namespace ddp::agent {

void AgentStates::take(const std::map<AgentId, AgentJoined>& joined) {
  for (const auto& [id, event] : joined) {
    Agent& agent = agents_[id];
    agent.host = event.hello.host;
    for (const RankPlace& place : event.hello.ranks) agent.ranks.push_back(place.rank);
  }
}

void AgentStates::clear() {
  agents_.clear();
  records_.clear();
}

void AgentStates::begin_attempt() {
  records_.clear();
  for (auto& [id, agent] : agents_) agent.drained = agent.swept = false;
}

std::vector<AgentId> AgentStates::ids() const {
  std::vector<AgentId> ids;
  for (const auto& [id, agent] : agents_) ids.push_back(id);
  return ids;
}

std::vector<AgentId> AgentStates::listeners() const {
  std::vector<AgentId> ids;
  for (const auto& [id, agent] : agents_) {
    if (!agent.lost && !agent.drained) ids.push_back(id);
  }
  return ids;
}

std::vector<int> AgentStates::living_ranks() const {
  std::vector<int> living;
  for (const auto& [id, agent] : agents_) {
    std::ranges::copy_if(agent.ranks, std::back_inserter(living),
                         [this](int rank) { return !records_.contains(rank); });
  }
  std::ranges::sort(living);
  return living;
}

void AgentStates::write_off() {
  for (auto& [id, agent] : agents_) agent.lost = agent.drained = true;
}

void AgentStates::mark_swept(const std::string& host) {
  for (auto& [id, agent] : agents_) agent.swept |= agent.host == host;
}

bool AgentStates::any_lost() const {
  return std::ranges::any_of(agents_, [](const auto& entry) { return entry.second.lost; });
}

bool AgentStates::any_holds_ranks() const {
  return !listeners().empty();
}

bool AgentStates::reported_all(const Agent& agent) const {
  return std::ranges::all_of(agent.ranks, [this](int rank) { return records_.contains(rank); });
}

bool AgentStates::all_ranks_accounted() const {
  return std::ranges::all_of(
      agents_, [this](const auto& entry) { return entry.second.lost || reported_all(entry.second); });
}

bool AgentStates::all_done() const {
  return all_ranks_accounted() && !any_holds_ranks();
}

std::set<std::string> AgentStates::unconfirmed_hosts() const {
  std::set<std::string> hosts;
  for (const auto& [id, agent] : agents_) {
    if (!agent.drained && !agent.swept) hosts.insert(agent.host);
  }
  return hosts;
}

std::string AgentStates::render_late_rank() const {
  for (const auto& [id, agent] : agents_) {
    for (const int rank : agent.ranks) {
      if (!records_.contains(rank)) return "rank " + std::to_string(rank) + " on " + agent.host;
    }
  }
  return {};
}

}  // namespace ddp::agent
