#include "trainer/distributed/group/group_members.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

namespace ddp::trainer {
namespace {

/// Nodes have consecutive ranks.
std::size_t node_of(int rank, const std::vector<int>& tasks_per_node) {
  std::size_t node = 0;
  for (; node + 1 < tasks_per_node.size() && rank >= tasks_per_node[node]; ++node) {
    rank -= tasks_per_node[node];
  }
  return node;
}

[[noreturn]] void refuse_members(const std::string& why) {
  throw std::invalid_argument("these ranks do not make a process group: " + why);
}

}  // namespace

GroupMembers GroupMembers::all_of(const JobEnvironment& job, const ProcessGroupOptions& options) {
  GroupMembers members{job, options, std::vector<int>(static_cast<std::size_t>(job.world_size))};
  std::iota(members.ranks.begin(), members.ranks.end(), 0);
  return members;
}

GroupMembers GroupMembers::pick(const std::vector<int>& places) const {
  GroupMembers picked{job, options, {}};
  for (const int place : places) {
    if (place < 0 || place >= size()) {
      refuse_members("there is no rank " + std::to_string(place) + " among " + std::to_string(size()));
    }
    const int rank = ranks[static_cast<std::size_t>(place)];
    if (std::ranges::count(picked.ranks, rank) > 0) refuse_members(std::to_string(place) + " is there twice");
    picked.ranks.push_back(rank);
  }
  if (std::ranges::count(picked.ranks, job.rank) == 0) {
    refuse_members("rank " + std::to_string(rank()) + ", which asks for it, is none of them");
  }
  return picked;
}

int GroupMembers::rank() const {
  return static_cast<int>(std::ranges::find(ranks, job.rank) - ranks.begin());
}

bool GroupMembers::share_a_node() const {
  return tasks_per_node().size() == 1;
}

JobEnvironment GroupMembers::own_job() const {
  JobEnvironment own = job;
  own.rank = rank();
  own.world_size = size();
  own.tasks_per_node = tasks_per_node();
  return own;
}

std::vector<int> GroupMembers::tasks_per_node() const {
  std::map<std::size_t, int> tasks;
  for (const int rank : ranks) ++tasks[node_of(rank, job.tasks_per_node)];
  std::vector<int> counts;
  for (const auto& [node, count] : tasks) counts.push_back(count);
  return counts;
}

}  // namespace ddp::trainer
