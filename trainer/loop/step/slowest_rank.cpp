#include "trainer/loop/step/slowest_rank.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace ddp::trainer {
namespace {

constexpr double kTooSlow = 1.5;  // times the median
constexpr int kWindows = 3;
constexpr std::chrono::seconds kTime{10};  // short windows on a busy machine are seldom alike

constexpr std::size_t kAllRanks = 64;
constexpr std::ptrdiff_t kSlowestRanks = 8;

}  // namespace

std::optional<SlowestRank> find_slowest_rank(std::span<const RankTime> by_rank) {
  if (by_rank.size() < 2) return std::nullopt;
  std::vector<double> totals;
  for (const RankTime& time : by_rank) totals.push_back(time.total);
  const auto slowest = std::ranges::max_element(totals) - totals.begin();
  const auto median = totals.begin() + (std::ssize(totals) - 1) / 2;
  std::ranges::nth_element(totals, median);
  return SlowestRank{static_cast<int>(slowest), by_rank[static_cast<std::size_t>(slowest)], *median};
}

std::vector<TimedRank> ranks_to_record(std::span<const RankTime> by_rank) {
  std::vector<TimedRank> ranks;
  if (by_rank.size() < 2) return ranks;
  for (const RankTime& time : by_rank) ranks.push_back({static_cast<int>(ranks.size()), time.total});
  if (ranks.size() <= kAllRanks) return ranks;
  const auto last = ranks.begin() + kSlowestRanks;
  std::ranges::partial_sort(ranks, last, std::greater(), &TimedRank::seconds);
  ranks.erase(last, ranks.end());
  return ranks;
}

bool StragglerWatch::finds(const SlowestRank& slowest, std::chrono::duration<double> window) {
  const bool too_slow = slowest.time.total > kTooSlow * slowest.median;
  if (!too_slow || slowest.rank != rank_) {
    windows_ = 0;
    time_ = {};
  }
  rank_ = slowest.rank;
  if (!too_slow) return false;
  ++windows_;
  time_ += window;
  return windows_ >= kWindows && time_ >= kTime && told_.insert(rank_).second;
}

std::string describe_straggler(const SlowestRank& slowest, const std::string& host) {
  char text[256];
  std::snprintf(text, sizeof text,
                " is a straggler: it takes %.1f ms per step, including %.1f ms waiting for data; the median "
                "of all ranks is %.1f ms per step",
                slowest.time.total * 1e3, slowest.time.data_wait * 1e3, slowest.median * 1e3);
  return "rank " + std::to_string(slowest.rank) + (host.empty() ? "" : " on " + host) + text;
}

}  // namespace ddp::trainer
