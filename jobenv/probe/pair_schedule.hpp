#pragma once

#include <vector>

namespace ddp {

/// Two nodes by their ranks, the lower one first.
struct NodePair {
  int low = 0;
  int high = 0;
  auto operator<=>(const NodePair&) const = default;
};

/// Rounds of a probe: in a larger job each node meets this many others.
inline constexpr int kMostRounds = 15;

/// Rounds in which no node has two partners, as in a round-robin tournament (the circle method). Without the
/// limit every pair meets exactly once; with it, in each round all nodes (but one, if their number is odd)
/// still have one partner, a new one each time.
[[nodiscard]] std::vector<std::vector<NodePair>> schedule_pairs(int nodes, int most_rounds = kMostRounds);

}  // namespace ddp
