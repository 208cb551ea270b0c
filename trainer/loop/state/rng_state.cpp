#include "trainer/loop/state/rng_state.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/utils.h>

#include <mutex>
#include <stdexcept>

namespace ddp::trainer {
namespace {

torch::Tensor read(at::Generator generator) {
  const std::scoped_lock lock(generator.mutex());
  return generator.get_state();
}

void write(at::Generator generator, const torch::Tensor& state) {
  const std::scoped_lock lock(generator.mutex());
  generator.set_state(state.clone());
}

}  // namespace

torch::Tensor capture_rng(const at::Device& device) {
  const torch::Tensor cpu = read(at::detail::getDefaultCPUGenerator());
  return device.is_cuda() ? at::cat({cpu, read(at::globalContext().defaultGenerator(device))}) : cpu;
}

bool fits_rng(const at::Device& device, const torch::Tensor& state) {
  return state.numel() == capture_rng(device).numel();
}

void restore_rng(const at::Device& device, const torch::Tensor& state) {
  if (!fits_rng(device, state)) {
    throw std::invalid_argument("the random state of the checkpoint belongs to another kind of device");
  }
  const auto cpu_bytes = read(at::detail::getDefaultCPUGenerator()).numel();
  write(at::detail::getDefaultCPUGenerator(), state.narrow(0, 0, cpu_bytes));
  if (device.is_cuda()) {
    write(at::globalContext().defaultGenerator(device),
          state.narrow(0, cpu_bytes, state.numel() - cpu_bytes));
  }
}

void seed_rng(std::uint64_t seed, int rank, std::uint64_t step) {
  // splitmix64 over the three: near numbers give streams that have nothing in common
  std::uint64_t mixed = seed;
  for (const std::uint64_t part : {static_cast<std::uint64_t>(rank), step}) {
    mixed += 0x9e3779b97f4a7c15 + part;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
  }
  torch::manual_seed(mixed);
}

void draw_loader_seed() {
  at::empty({}, at::kLong).random_();
}

}  // namespace ddp::trainer
