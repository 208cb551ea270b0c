#pragma once

#include <torch/types.h>

#include <cstdint>

namespace ddp::trainer {

/// The state of torch's default generators: the CPU's and, behind it, that of `device` when it is CUDA. A
/// uint8 tensor.
[[nodiscard]] torch::Tensor capture_rng(const at::Device& device);

/// Whether `state` is one of the same kind of device.
[[nodiscard]] bool fits_rng(const at::Device& device, const torch::Tensor& state);

/// Takes back what capture_rng gave on the same kind of device. Throws std::invalid_argument for another
/// size.
void restore_rng(const at::Device& device, const torch::Tensor& state);

/// Seeds the generators of a rank that no checkpoint has a state for.
void seed_rng(std::uint64_t seed, int rank, std::uint64_t step);

/// Draws from the CPU's generator what a Python DataLoader draws when it is iterated, so that dropout goes on
/// with the same numbers as in a Python script.
void draw_loader_seed();

}  // namespace ddp::trainer
