#include "trainer/optim/decay_schema.hpp"

namespace ddp::trainer {

OptionSchema decay_option() {
  return {.key = "decay",
          .default_value = std::string("all"),
          .doc =
              "which parameters weight_decay is for; matrices: those of two or more dimensions, not biases "
              "and norms",
          .words = {"all", "matrices"}};
}

}  // namespace ddp::trainer
