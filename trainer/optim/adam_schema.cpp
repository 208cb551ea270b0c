#include "trainer/optim/decay_schema.hpp"
#include "trainer/optim/implementation_schema.hpp"

namespace ddp::trainer {
namespace {

std::vector<OptionSchema> adam_options(double weight_decay, const char* decay_doc) {
  constexpr NumberRange kNotNegative{.min = 0};
  constexpr NumberRange kBeta{.min = 0, .max = 1, .max_bound = Bound::exclusive};
  return {
      {.key = "learning_rate",
       .default_value = 1e-3,
       .doc = "learning rate; after the warm-up, if the schedule has one",
       .numbers = kNotNegative},
      {.key = "beta1",
       .default_value = 0.9,
       .doc = "decay rate of the running mean of gradients",
       .numbers = kBeta},
      {.key = "beta2",
       .default_value = 0.999,
       .doc = "decay rate of the running mean of squared gradients",
       .numbers = kBeta},
      {.key = "eps",
       .default_value = 1e-8,
       .doc = "value added to the denominator, against division by zero",
       .numbers = kNotNegative},
      {.key = "weight_decay", .default_value = weight_decay, .doc = decay_doc, .numbers = kNotNegative},
      decay_option(),
      implementation_option(),
  };
}

}  // namespace

ComponentSchema adam_schema() {
  return {.name = "adam", .doc = "Adam, as torch.optim.Adam", .options = adam_options(0.0, "L2 penalty")};
}

ComponentSchema adamw_schema() {
  return {
      .name = "adamw",
      .doc = "Adam with decoupled weight decay, as torch.optim.AdamW",
      .options = adam_options(
          0.01,
          "decoupled weight decay: each step multiplies the parameters by 1 - learning_rate x weight_decay")};
}

}  // namespace ddp::trainer
