#pragma once

#include <cstdint>

namespace ddp::trainer {

/// Where a training is. `position` counts the batches of a shard done in `epoch`; all count from 0.
struct TrainingPlace {
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::int64_t position = 0;
  bool operator==(const TrainingPlace&) const = default;
};

}  // namespace ddp::trainer
