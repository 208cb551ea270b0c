#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

ComponentSchema adam_schema() {
  constexpr NumberRange kNotNegative{.min = 0};
  constexpr NumberRange kBeta{.min = 0, .max = 1, .max_bound = Bound::exclusive};
  return {
      .name = "adam",
      .doc = "Adam, as torch.optim.Adam",
      .options =
          {
              {.key = "learning_rate", .default_value = 1e-3, .doc = "step size", .numbers = kNotNegative},
              {.key = "beta1",
               .default_value = 0.9,
               .doc = "decay of the mean of gradients",
               .numbers = kBeta},
              {.key = "beta2",
               .default_value = 0.999,
               .doc = "decay of the mean of squared gradients",
               .numbers = kBeta},
              {.key = "eps",
               .default_value = 1e-8,
               .doc = "added to the denominator",
               .numbers = kNotNegative},
              {.key = "weight_decay", .default_value = 0.0, .doc = "L2 penalty", .numbers = kNotNegative},
          },
  };
}

}  // namespace ddp::trainer
