#pragma once

#include <torch/types.h>

#include <cstdint>

#include "ddp/trainer/process_group.hpp"

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

  /// Adds a batch: its mean loss, its logits and its classes.
  void add(const torch::Tensor& mean_loss, const torch::Tensor& logits, const torch::Tensor& targets);
};

/// The totals of all ranks together. A collective.
[[nodiscard]] Totals sum_over_ranks(const Totals& mine, ProcessGroup& group);

}  // namespace ddp::trainer
