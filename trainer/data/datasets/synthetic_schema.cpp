#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

ComponentSchema synthetic_schema() {
  constexpr IntegerRange kSamples{1, 100'000'000};
  constexpr IntegerRange kSize{1, 1'000'000};
  return {
      .name = "synthetic",
      .doc = "random samples around one center per class, generated in memory",
      .options =
          {
              {.key = "samples",
               .default_value = std::int64_t{4096},
               .doc = "number of samples in the training data, and in the test data",
               .integers = kSamples},
              {.key = "features",
               .default_value = std::int64_t{784},
               .doc = "number of values per sample",
               .integers = kSize},
              {.key = "num_classes",
               .default_value = std::int64_t{10},
               .doc = "number of classes",
               .integers = kSize},
          },
      .sample_shape = [](const Component& data) -> std::optional<SampleShape> {
        return SampleShape{{data.get<std::int64_t>("features")}, data.get<std::int64_t>("num_classes")};
      },
  };
}

}  // namespace ddp::trainer
