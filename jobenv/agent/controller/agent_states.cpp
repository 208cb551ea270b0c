#include "jobenv/agent/controller/agent_states.hpp"

#include <algorithm>
#include <iterator>

namespace ddp::agent {

void AgentStates::take(const std::map<AgentId, AgentJoined>& joined) {
  for (const auto& [id, event] : joined) {
    Agent& agent = agents_[id];
    agent.host = event.hello.host;
    for (const RankPlace& place : event.hello.ranks) {
      agent.ranks.push_back(place.rank);
      agent_of_[place.rank] = id;
    }
    agent.living = agent.ranks.size();
    count(agent, 1);
  }
}

void AgentStates::clear() {
  *this = {};
}

void AgentStates::begin_attempt() {
  records_.clear();
  for (auto& [id, agent] : agents_) {
    change(agent, [](Agent& state) {
      state.drained = state.swept = false;
      state.living = state.ranks.size();
    });
  }
}

/// What is counted is so before and after a change.
template <class Change>
void AgentStates::change(Agent& agent, Change change) {
  count(agent, -1);
  change(agent);
  count(agent, 1);
}

void AgentStates::count(const Agent& agent, std::ptrdiff_t times) {
  if (agent.lost) lost_ += times;
  if (!agent.lost && !agent.drained) holders_ += times;
  if (!agent.lost && !reported_all(agent)) unaccounted_ += times;
}

void AgentStates::mark_drained(AgentId agent) {
  change(agents_.at(agent), [](Agent& state) { state.drained = true; });
}

void AgentStates::mark_lost(AgentId agent) {
  change(agents_.at(agent), [](Agent& state) { state.lost = true; });
}

bool AgentStates::add(const ExitRecord& record) {
  if (!records_.emplace(record.rank, record).second) return false;
  if (const auto found = agent_of_.find(record.rank); found != agent_of_.end())
    change(agents_.at(found->second), [](Agent& state) { --state.living; });
  return true;
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
  for (auto& [id, agent] : agents_) change(agent, [](Agent& state) { state.lost = state.drained = true; });
}

void AgentStates::mark_swept(const std::string& host) {
  for (auto& [id, agent] : agents_) agent.swept |= agent.host == host;
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
