#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// How long a step of a job takes, and how many there are.
struct JobPace {
  std::chrono::duration<double> step{};
  std::int64_t steps_per_epoch = 1;
};

/// How far the checkpoints of a job are apart: what a failure costs at worst.
struct ConfiguredInterval {
  std::string key;  ///< that says so, with its value: "train.checkpoint.every_steps: 500"; empty: none, the
                    ///< first checkpoint is that at the end
  double steps = 0;
  std::chrono::duration<double> time{};
};

/// Optimizer steps of the whole job.
[[nodiscard]] std::int64_t count_steps(const trainer::TrainConfig& train, const JobPace& pace);

/// Of several keys the one that comes first, by the pace. No longer than the job is.
[[nodiscard]] ConfiguredInterval find_configured_interval(const trainer::TrainConfig& train,
                                                          const JobPace& pace);

}  // namespace ddp::cli
