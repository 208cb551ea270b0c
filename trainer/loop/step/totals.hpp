#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "ddp/trainer/process_group.hpp"
#include "trainer/loop/step/slowest_rank.hpp"

namespace ddp::trainer {

/// Sums over samples, of which means are made once at the end: batches of unequal size count by their
/// samples.
struct Totals {
  double loss = 0;
  std::int64_t correct = 0;
  std::int64_t samples = 0;

  [[nodiscard]] double mean_loss() const { return loss / static_cast<double>(samples); }
  [[nodiscard]] double accuracy() const {
    return static_cast<double>(correct) / static_cast<double>(samples);
  }
};

/// Adds up batches. On CUDA the sums stay on the device, and adding does not wait for it.
class BatchTotals {
 public:
  /// Adds a batch: its mean loss, its logits [batch, classes] and its classes [batch], all on one device.
  void add(const torch::Tensor& mean_loss, const torch::Tensor& logits, const torch::Tensor& targets);

  /// The sums so far. Waits for the device.
  [[nodiscard]] Totals sum() const;

 private:
  Totals on_host_;
  torch::Tensor loss_;     // float64 of no dimension, on the device; undefined: all is on the host
  torch::Tensor correct_;  // int64 likewise
};

/// The totals of all ranks together. A collective.
[[nodiscard]] Totals sum_over_ranks(const Totals& mine, ProcessGroup& group);

/// What all ranks tell of a window.
struct SharedWindow {
  Totals totals;                ///< of all ranks together
  std::vector<RankTime> times;  ///< by rank
};

/// The totals of all ranks, and the time of each, in one all-reduce. A collective.
[[nodiscard]] SharedWindow share_window(const Totals& mine, const RankTime& time, ProcessGroup& group);

}  // namespace ddp::trainer
