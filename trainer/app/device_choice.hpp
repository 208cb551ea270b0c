#pragma once

#include <string>

#include "ddp/jobenv/job_environment.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Which of the `visible` CUDA devices this rank computes on: that of its local rank, or the only one that it
/// sees, since a scheduler may give each rank its own. Whether two ranks have come to the same one, they find
/// out together (require_distinct_devices). Throws std::runtime_error where no device can be meant.
[[nodiscard]] int choose_device(const JobEnvironment& job, int visible);

/// Whether all ranks of this node have a device, as far as this one can see. It cannot where a scheduler
/// shows each rank its own only.
[[nodiscard]] inline bool every_rank_has_a_device(const JobEnvironment& job, int visible) {
  return visible >= job.local_world_size;
}

/// Whether there are as many devices as `device: auto` wants.
[[nodiscard]] bool suffices(int visible, const TrainConfig& config, const JobEnvironment& job);

/// Why `device: auto` leaves `visible` devices, which do not suffice, alone, and what to do. Empty where
/// there are none.
[[nodiscard]] std::string describe_unused_devices(int visible, const TrainConfig& config,
                                                  const JobEnvironment& job);

/// Why `device: auto` leaves the GPUs of the host alone: the strategy of `config` is for the CPU.
[[nodiscard]] std::string describe_untested_devices(const TrainConfig& config);

}  // namespace ddp::trainer
