#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ddp::trainer {

/// How long a rank needs for a step until its gradients are there, in seconds, in the mean over a window.
/// What it waits for others is not in it.
struct RankTime {
  double total = 0;
  double data_wait = 0;  ///< of the total, for batches that were not there yet
};

/// The rank that the others wait for.
struct SlowestRank {
  int rank = 0;
  RankTime time;
  double median = 0;  ///< of the totals of all ranks, nearest rank
};

/// `by_rank` holds the times of all ranks; nullopt for fewer than two.
[[nodiscard]] std::optional<SlowestRank> find_slowest_rank(std::span<const RankTime> by_rank);

/// A rank and how long it needs for a step, in seconds.
struct TimedRank {
  int rank = 0;
  double seconds = 0;
};

/// What a record tells of the ranks: the times of all of up to 64, by rank; of more the eight slowest, the
/// slowest first. Empty for fewer than two ranks.
[[nodiscard]] std::vector<TimedRank> ranks_to_record(std::span<const RankTime> by_rank);

/// Looks out for a rank that holds up the others window after window.
class StragglerWatch {
 public:
  /// To be called with what each window gave, and how long it was. Whether its slowest rank has needed more
  /// than 1.5 times the median in this window and those before, three and ten seconds of them at least; true
  /// once for a rank.
  [[nodiscard]] bool finds(const SlowestRank& slowest, std::chrono::duration<double> window);

 private:
  int rank_ = -1;
  int windows_ = 0;                       // in a row, in which rank_ was too slow
  std::chrono::duration<double> time_{};  // of these windows
  std::set<int> told_;
};

/// "rank 3 on node7 holds the others up: …"
[[nodiscard]] std::string describe_straggler(const SlowestRank& slowest, const std::string& host);

}  // namespace ddp::trainer
