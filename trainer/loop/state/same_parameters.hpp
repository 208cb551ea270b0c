#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <stdexcept>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// The parameters of the ranks, which every step keeps equal, are so no longer: broken memory, or a program
/// that changes them on one rank alone.
struct ParametersDiverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Compares the parameters of all ranks after `step` by the crc32c of their bytes. Throws ParametersDiverged
/// on all ranks, with the ranks and the first parameter. Buffers are not compared: between two forward passes
/// they differ. A collective; reads every parameter, and copies those of another device to the CPU.
void require_same_parameters(const torch::nn::Module& model, std::int64_t step, ProcessGroup& group);

}  // namespace ddp::trainer
