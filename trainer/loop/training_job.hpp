#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/jobenv/progress_page.hpp"
#include "ddp/trainer/components.hpp"
#include "ddp/trainer/process_group.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// What a run is made of. What it refers to must outlive the run.
struct TrainingJob {
  TrainConfig config;
  JobEnvironment environment;
  std::filesystem::path run_dir;  ///< empty: no checkpoint and no metrics file
  at::Device device = at::kCPU;
  ProgressPage& progress;
  ProcessGroup& group;
  const Components& own;              ///< models and datasets besides those of ddptrain
  std::vector<std::string> settings;  ///< of `config`, as list_settings()
};

}  // namespace ddp::trainer
