#include "ddp/jobenv/rank_layout.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "ddp/jobenv/host_list.hpp"
#include "ddp/jobenv/whole_number.hpp"

namespace ddp {
namespace {

constexpr std::size_t kMaxNodes = HostList::kMaxHosts;

struct Run {
  int tasks = 0;
  std::size_t nodes = 1;
};

/// One element of the notation: `4` or `4(x2)`.
std::optional<Run> parse_run(std::string_view text) {
  const std::size_t bracket = text.find("(x");
  std::int64_t nodes = 1;
  if (bracket != std::string_view::npos) {
    if (text.back() != ')') return std::nullopt;
    const auto repeat = parse_whole_number(text.substr(bracket + 2, text.size() - bracket - 3));
    if (!repeat || *repeat < 1 || static_cast<std::size_t>(*repeat) > kMaxNodes) return std::nullopt;
    nodes = *repeat;
  }
  const auto tasks = parse_whole_number(text.substr(0, bracket));
  if (!tasks || *tasks < 1 || *tasks > std::numeric_limits<int>::max()) return std::nullopt;
  return Run{static_cast<int>(*tasks), static_cast<std::size_t>(nodes)};
}

}  // namespace

RankLayout::RankLayout(std::vector<int> tasks_per_node) : tasks_per_node_(std::move(tasks_per_node)) {
  first_ranks_.assign(tasks_per_node_.size() + 1, 0);
  std::partial_sum(tasks_per_node_.begin(), tasks_per_node_.end(), std::next(first_ranks_.begin()));
}

Expected<RankLayout> RankLayout::make(std::vector<int> tasks_per_node) {
  if (tasks_per_node.empty()) return fail(ExitCode::config_invalid, "a job has at least one node");
  if (tasks_per_node.size() > kMaxNodes) {
    return fail(ExitCode::config_invalid, "a job has at most " + std::to_string(kMaxNodes) + " nodes");
  }
  std::int64_t world_size = 0;
  for (const int tasks : tasks_per_node) {
    if (tasks < 1) {
      return fail(ExitCode::config_invalid, "a node has at least one task, not " + std::to_string(tasks));
    }
    world_size += tasks;
  }
  if (world_size > std::numeric_limits<int>::max()) {
    return fail(ExitCode::config_invalid, std::to_string(world_size) + " tasks are too many");
  }
  return RankLayout(std::move(tasks_per_node));
}

Expected<RankLayout> RankLayout::parse(std::string_view text) {
  std::vector<int> tasks_per_node;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto run = parse_run(text.substr(begin, end - begin));
    if (!run || tasks_per_node.size() + run->nodes > kMaxNodes) {
      return fail(ExitCode::config_invalid,
                  "tasks per node '" + std::string(text) + "': cannot read '" +
                      std::string(text.substr(begin, end - begin)) + "' at column " +
                      std::to_string(begin + 1),
                  "the notation is a list of TASKS or TASKS(xNODES), for example 2(x3),1");
    }
    tasks_per_node.insert(tasks_per_node.end(), run->nodes, run->tasks);
    begin = end + 1;
  }
  return make(std::move(tasks_per_node));
}

RankPlace RankLayout::place(int rank) const {
  if (rank < 0 || rank >= world_size())
    throw std::out_of_range("rank " + std::to_string(rank) + " of " + std::to_string(world_size()));
  const auto first = std::prev(std::ranges::upper_bound(first_ranks_, rank));
  return {rank, rank - *first, static_cast<int>(first - first_ranks_.begin())};
}

std::vector<RankPlace> RankLayout::places_on(int node_rank) const {
  const int first = first_ranks_.at(static_cast<std::size_t>(node_rank));
  std::vector<RankPlace> places;
  for (int local_rank = 0; local_rank < tasks_on(node_rank); ++local_rank)
    places.push_back({first + local_rank, local_rank, node_rank});
  return places;
}

std::string RankLayout::render() const {
  std::string text;
  for (std::size_t node = 0; node < tasks_per_node_.size();) {
    const int tasks = tasks_per_node_[node];
    std::size_t nodes = 1;
    while (node + nodes < tasks_per_node_.size() && tasks_per_node_[node + nodes] == tasks) ++nodes;
    if (!text.empty()) text += ',';
    text += std::to_string(tasks);
    if (nodes > 1) text += "(x" + std::to_string(nodes) + ")";
    node += nodes;
  }
  return text;
}

}  // namespace ddp
