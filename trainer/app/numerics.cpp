#include "trainer/app/numerics.hpp"

#include <ATen/Context.h>

#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {
namespace {

/// LibTorch asks for it too, but at the first product of matrices.
void require_cublas_workspace(const EnvMap& environment) {
  constexpr const char* kVariable = "CUBLAS_WORKSPACE_CONFIG";
  const auto value = environment.get(kVariable);
  if (value == ":4096:8" || value == ":16:8") return;
  throw InvalidConfiguration(std::string("train.deterministic: cuBLAS is deterministic only with ") +
                             kVariable + "=:4096:8 (or :16:8, which is slower), but it is " +
                             (value ? "'" + std::string(*value) + "'" : "not set") +
                             "; add environment: {set: {" + kVariable + ": \":4096:8\"}}");
}

void make_deterministic(at::Context& context, const at::Device& device, const EnvMap& environment) {
  if (device.is_cuda()) require_cublas_workspace(environment);
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  context.setDeterministicCuDNN(true);
  context.setBenchmarkCuDNN(false);
}

}  // namespace

void set_numerics(const TrainConfig& config, const at::Device& device, const EnvMap& environment) {
  at::Context& context = at::globalContext();
  if (config.deterministic) make_deterministic(context, device, environment);
  if (!config.tf32) return;
  context.setAllowTF32CuBLAS(*config.tf32);
  context.setAllowTF32CuDNN(*config.tf32);
}

}  // namespace ddp::trainer
