#pragma once

#include <cstdint>

namespace ddp::trainer {

/// How an epoch is shared out: batch k takes samples k·shards·batch_size up to (k+1)·shards·batch_size of the
/// epoch's order, whatever shards and batch size are.
struct EpochShape {
  std::int64_t dataset_size = 0;
  int shards = 1;
  std::int64_t batch_size = 1;  ///< of a shard
  bool drop_last = false;

  [[nodiscard]] std::int64_t batches() const;
  bool operator==(const EpochShape&) const = default;
};

/// Where an epoch goes on that was left after `position` batches of `before` and is now of `now`: after the
/// last batch of `now` whose samples have all been seen, so that none is left out and those of less than one
/// batch are seen again. An epoch that was done stays done.
[[nodiscard]] std::int64_t convert_position(std::int64_t position, const EpochShape& before,
                                            const EpochShape& now);

}  // namespace ddp::trainer
