#pragma once

#include <cstdint>
#include <vector>

namespace ddp::trainer {

/// Which samples this rank sees, in which order: the same as Python's torch.utils.data.DistributedSampler
/// of equal arguments. A value without state; in place of set_epoch the epoch is an argument, so that it
/// cannot be forgotten.
struct DistributedSampler {
  std::int64_t dataset_size = 0;
  int num_replicas = 1;
  int rank = 0;
  bool shuffle = true;
  std::uint64_t seed = 0;
  bool drop_last = false;  ///< drop the tail that does not divide, in place of repeating the first samples

  /// Samples of this rank in every epoch; the same on all ranks.
  [[nodiscard]] std::int64_t num_samples() const;

  /// This rank's samples of `epoch`: num_samples() of them.
  [[nodiscard]] std::vector<std::int64_t> indices(std::uint64_t epoch) const;
};

}  // namespace ddp::trainer
