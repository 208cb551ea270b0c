#include "trainer/optim/decay_schema.hpp"

namespace ddp::trainer {

OptionSchema decay_option() {
  return {.key = "decay",
          .default_value = std::string("all"),
          .doc =
              "parameters that weight_decay applies to; matrices: only those with two or more dimensions, no "
              "biases and norm weights",
          .words = {"all", "matrices"}};
}

}  // namespace ddp::trainer
