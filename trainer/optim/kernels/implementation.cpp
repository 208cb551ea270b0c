#include "trainer/optim/kernels/implementation.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {
namespace {

struct ImplementationRow {
  std::string_view name;
  Implementation value;
};

constexpr std::array kImplementations = {
    ImplementationRow{"loop", Implementation::loop},
    ImplementationRow{"foreach", Implementation::foreach},
    ImplementationRow{"fused", Implementation::fused},
    ImplementationRow{"simd", Implementation::simd},
};

}  // namespace

Implementation resolve_implementation(const std::string& option, const at::Device& device) {
  // Python takes foreach on CUDA and the loop on the CPU when it is told nothing.
  if (option == "auto") return device.is_cpu() ? Implementation::simd : Implementation::foreach;
  const auto* row = std::ranges::find(kImplementations, option, &ImplementationRow::name);
  if (row == kImplementations.end()) throw std::logic_error("no implementation is named '" + option + "'");
  if (row->value == Implementation::simd && !device.is_cpu()) {
    throw InvalidConfiguration("train.optimizer.implementation simd works on the CPU only; use auto");
  }
  return row->value;
}

}  // namespace ddp::trainer
