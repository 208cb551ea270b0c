#include "jobenv/probe/pair_schedule.hpp"

#include <algorithm>

namespace ddp {

std::vector<std::vector<NodePair>> schedule_pairs(int nodes, int most_rounds) {
  if (nodes < 2) return {};
  const int seats = nodes + nodes % 2;  // the seat that an odd number leaves over: who sits opposite waits
  const int circle = seats - 1;         // the last seat stands still, the others move on by one a round
  std::vector<std::vector<NodePair>> rounds;
  for (int round = 0; round < std::min(circle, most_rounds); ++round) {
    auto& pairs = rounds.emplace_back();
    for (int seat = 0; seat < seats / 2; ++seat) {
      const int left = seat == 0 ? seats - 1 : (round + seat) % circle;
      const int right = (round + circle - seat) % circle;
      if (std::max(left, right) < nodes) pairs.push_back({std::min(left, right), std::max(left, right)});
    }
    std::ranges::sort(pairs);
  }
  return rounds;
}

}  // namespace ddp
