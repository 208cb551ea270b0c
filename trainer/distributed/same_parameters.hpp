#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>

#include "ddp/trainer/process_group.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// The parameters of the ranks, which every step keeps equal, are so no longer: broken memory, or a program
/// that changes them on one rank alone.
struct ParametersDiverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Compares the parameters that the ranks of `group` have after `step` by the crc32c of their bytes. Throws
/// ParametersDiverged on all of them, with the ranks, by the numbers that `rank_name` gives those of the
/// group, and the first parameter. Buffers are not compared: between two forward passes they differ. A
/// collective; reads every parameter, and copies those of another device to the CPU.
void require_same_parameters(const NamedTensors& parameters, std::int64_t step, ProcessGroup& group,
                             const std::function<int(int)>& rank_name = std::identity());

}  // namespace ddp::trainer
