#include "trainer/optim/decay_schema.hpp"
#include "trainer/optim/implementation_schema.hpp"

namespace ddp::trainer {
namespace {

std::string conflict(const Component& optimizer) {
  const bool plain = optimizer.get<double>("momentum") > 0 && optimizer.get<double>("dampening") == 0;
  if (!optimizer.get<bool>("nesterov") || plain) return {};
  return "nesterov needs a momentum greater than 0 and a dampening of 0";
}

}  // namespace

ComponentSchema sgd_schema() {
  constexpr NumberRange kNotNegative{.min = 0};
  return {
      .name = "sgd",
      .doc = "stochastic gradient descent, as torch.optim.SGD",
      .options =
          {
              {.key = "learning_rate",
               .default_value = 1e-3,
               .doc = "learning rate; after the warm-up, if the schedule has one",
               .numbers = kNotNegative},
              {.key = "momentum", .default_value = 0.0, .doc = "momentum factor", .numbers = kNotNegative},
              {.key = "dampening", .default_value = 0.0, .doc = "dampening of the momentum"},
              {.key = "weight_decay", .default_value = 0.0, .doc = "L2 penalty", .numbers = kNotNegative},
              decay_option(),
              {.key = "nesterov", .default_value = false, .doc = "use Nesterov momentum"},
              implementation_option(),
          },
      .conflict = conflict,
  };
}

}  // namespace ddp::trainer
