#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp {

/// Where one rank runs.
struct RankPlace {
  int rank = 0;
  int local_rank = 0;
  int node_rank = 0;
  bool operator==(const RankPlace&) const = default;
};

/// How the ranks of a job are laid over its nodes: node k holds `tasks_per_node[k]` consecutive ranks (block
/// distribution).
class RankLayout {
 public:
  /// Refuses an empty list and counts below 1.
  [[nodiscard]] static Expected<RankLayout> make(std::vector<int> tasks_per_node);

  /// Reads Slurm's SLURM_TASKS_PER_NODE notation: `2(x3),1`.
  [[nodiscard]] static Expected<RankLayout> parse(std::string_view text);

  [[nodiscard]] int world_size() const { return first_ranks_.back(); }
  [[nodiscard]] int nodes() const { return static_cast<int>(tasks_per_node_.size()); }
  [[nodiscard]] int tasks_on(int node_rank) const {
    return tasks_per_node_.at(static_cast<std::size_t>(node_rank));
  }
  [[nodiscard]] const std::vector<int>& tasks_per_node() const { return tasks_per_node_; }

  /// The place of `rank`, 0 <= rank < world_size().
  [[nodiscard]] RankPlace place(int rank) const;

  /// The places on one node, 0 <= node_rank < nodes(), in the order of their ranks.
  [[nodiscard]] std::vector<RankPlace> places_on(int node_rank) const;

  /// The notation that parse reads.
  [[nodiscard]] std::string render() const;

  bool operator==(const RankLayout&) const = default;

 private:
  explicit RankLayout(std::vector<int> tasks_per_node);
  std::vector<int> tasks_per_node_;
  std::vector<int> first_ranks_;  ///< of each node, and the world size
};

}  // namespace ddp
