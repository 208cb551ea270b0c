#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {
namespace {

std::string channels_mismatch(const Component& model, const SampleShape& shape) {
  if (shape.dims.size() != 3) return "it needs images of channels x height x width";
  const auto channels = model.get<std::int64_t>("in_channels");
  if (channels == shape.dims[0]) return {};
  return "in_channels is " + std::to_string(channels) + ", but an image has " + std::to_string(shape.dims[0]);
}

ComponentSchema schema(std::string name, std::string doc) {
  return {
      .name = std::move(name),
      .doc = std::move(doc),
      .options =
          {
              {.key = "num_classes",
               .default_value = std::int64_t{1000},
               .doc = "number of outputs",
               .integers = {1, 1'000'000}},
              {.key = "stem",
               .default_value = std::string("imagenet"),
               .doc =
                   "first layers: imagenet (7 x 7 convolution with stride 2, max-pooling), or cifar (3 x 3 "
                   "with stride 1, no pooling) for small images",
               .words = {"imagenet", "cifar"}},
              {.key = "in_channels",
               .default_value = std::int64_t{3},
               .doc = "number of channels per image",
               .integers = {1, 1'000}},
              {.key = "zero_init_residual",
               .default_value = false,
               .doc = "each residual block starts as the identity"},
          },
      .mismatch = channels_mismatch,
      .batch_norm = ComponentSchema::BatchNorm::present,
      .dropout = ComponentSchema::Dropout::none,
  };
}

}  // namespace

ComponentSchema resnet18_schema() {
  return schema("resnet18", "residual network of 18 layers, as torchvision's resnet18");
}
ComponentSchema resnet34_schema() {
  return schema("resnet34", "residual network of 34 layers, as torchvision's resnet34");
}
ComponentSchema resnet50_schema() {
  return schema("resnet50", "residual network of 50 layers in bottleneck blocks, as torchvision's resnet50");
}

}  // namespace ddp::trainer
