#pragma once

#include <torch/types.h>

#include <string>

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/trainer/process_group_options.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// Where a rank computes, and what reduces its gradients.
struct Placement {
  at::Device device = at::kCPU;
  Backend backend = Backend::gloo;
  std::string remark = {};  ///< for rank 0 to tell: what was not used, and why; may be empty
};

/// Asks the machine; loads the plug-in for CUDA or MPI when the run is to use it. To be called before
/// anything else of LibTorch. `automatic` is the CPU unless a GPU and the plug-in are there. Throws
/// InvalidConfiguration when the configuration wants what only CUDA can do and there is no GPU, or MPI and
/// there is none; std::runtime_error when a device that it names, or that it needs, is not to be had now.
[[nodiscard]] Placement resolve_placement(const TrainConfig& config, const JobEnvironment& job);

}  // namespace ddp::trainer
