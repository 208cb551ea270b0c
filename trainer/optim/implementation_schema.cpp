#include "trainer/optim/implementation_schema.hpp"

namespace ddp::trainer {

OptionSchema implementation_option() {
  return {.key = "implementation",
          .default_value = std::string("auto"),
          .doc =
              "auto is simd on the CPU and foreach on CUDA, which give the bytes of Python's defaults there; "
              "fused "
              "is Python's fused=True",
          .words = {"auto", "loop", "foreach", "fused", "simd"}};
}

}  // namespace ddp::trainer
