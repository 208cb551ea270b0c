#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "trainer/optim/adam.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/optim/sgd.hpp"

namespace ddp::trainer {
namespace {

struct OptimizerRow {
  std::string_view name;
  std::unique_ptr<Optimizer> (*make)(const Component&, NamedTensors);
};

constexpr std::array kOptimizers = {
    OptimizerRow{"adam", make_adam},
    OptimizerRow{"adamw", make_adamw},
    OptimizerRow{"sgd", make_sgd},
};

}  // namespace

std::unique_ptr<Optimizer> make_optimizer(const Component& optimizer, NamedTensors parameters) {
  const auto* row = std::ranges::find(kOptimizers, optimizer.name, &OptimizerRow::name);
  if (row == kOptimizers.end()) throw std::logic_error("no optimizer is named '" + optimizer.name + "'");
  return row->make(optimizer, std::move(parameters));
}

}  // namespace ddp::trainer
