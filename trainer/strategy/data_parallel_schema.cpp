#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

ComponentSchema data_parallel_schema() {
  return {
      .name = "data_parallel",
      .doc = "one process with several copies of the model",
      .options = {{.key = "replicas",
                   .default_value = std::int64_t{2},
                   .doc =
                       "number of copies of the model: one device each on CUDA, one thread each on the CPU",
                   .integers = {.min = 1, .max = 1024}}},
  };
}

}  // namespace ddp::trainer
