#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {
namespace {

std::string mismatch(const Component&, const SampleShape& shape) {
  if (shape.dims == std::vector<std::int64_t>{1, 28, 28}) return {};
  return "it needs images of 1 x 28 x 28";
}

}  // namespace

ComponentSchema convnet_schema() {
  return {
      .name = "convnet",
      .doc = "two convolutions of 32 and 64 filters, dropout, 128 hidden units, for images of 1 x 28 x 28",
      .options =
          {
              {.key = "num_classes",
               .default_value = std::int64_t{10},
               .doc = "number of outputs",
               .integers = {1, 1'000'000}},
          },
      .mismatch = mismatch,
      .blocks = ComponentSchema::Blocks::none,
  };
}

}  // namespace ddp::trainer
