#include "trainer/optim/implementation_schema.hpp"

namespace ddp::trainer {

OptionSchema implementation_option() {
  return {.key = "implementation",
          .default_value = std::string("auto"),
          .doc =
              "auto: simd on the CPU and foreach on CUDA, with the same bytes as PyTorch's defaults; fused: "
              "as fused=True in PyTorch",
          .words = {"auto", "loop", "foreach", "fused", "simd"}};
}

}  // namespace ddp::trainer
