#include <functional>
#include <numeric>

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {
namespace {

std::string features_mismatch(const Component& model, const SampleShape& shape) {
  const auto features =
      std::accumulate(shape.dims.begin(), shape.dims.end(), std::int64_t{1}, std::multiplies<>());
  const auto input = model.get<std::int64_t>("input_dim");
  if (input == features) return {};
  return "input_dim is " + std::to_string(input) + ", but a sample has " + std::to_string(features) +
         " values";
}

}  // namespace

ComponentSchema mlp_schema() {
  using Integers = std::vector<std::int64_t>;
  constexpr IntegerRange kSize{1, 1'000'000};
  return {
      .name = "mlp",
      .doc = "fully connected layers with ReLU between them",
      .options =
          {
              {.key = "input_dim",
               .default_value = std::int64_t{784},
               .doc = "number of values per sample",
               .integers = kSize},
              {.key = "hidden_dims",
               .default_value = Integers{128},
               .doc = "sizes of the hidden layers",
               .integers = kSize},
              {.key = "num_classes",
               .default_value = std::int64_t{10},
               .doc = "number of outputs",
               .integers = kSize},
          },
      .mismatch = features_mismatch,
      .blocks = ComponentSchema::Blocks::none,
      .dropout = ComponentSchema::Dropout::none,
  };
}

}  // namespace ddp::trainer
