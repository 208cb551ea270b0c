#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

ComponentSchema cross_entropy_schema() {
  return {
      .name = "cross_entropy",
      .doc = "cross entropy of logits and classes, as torch.nn.functional.cross_entropy",
      .options = {{.key = "label_smoothing",
                   .default_value = 0.0,
                   .doc = "part of the target that is spread evenly over all classes; 0: no smoothing",
                   .numbers = {.min = 0, .max = 1}}},
  };
}

}  // namespace ddp::trainer
