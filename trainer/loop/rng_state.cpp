#include "trainer/loop/rng_state.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

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

void restore_rng(const at::Device& device, const torch::Tensor& state) {
  if (state.numel() != capture_rng(device).numel()) {
    throw std::invalid_argument("the random state of the checkpoint is one of another kind of device");
  }
  const auto cpu_bytes = read(at::detail::getDefaultCPUGenerator()).numel();
  write(at::detail::getDefaultCPUGenerator(), state.narrow(0, 0, cpu_bytes));
  if (device.is_cuda()) {
    write(at::globalContext().defaultGenerator(device),
          state.narrow(0, cpu_bytes, state.numel() - cpu_bytes));
  }
}

void draw_loader_seed() {
  at::empty({}, at::kLong).random_();
}

}  // namespace ddp::trainer
