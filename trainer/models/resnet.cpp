#include "trainer/models/resnet.hpp"

#include <ATen/ATen.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <array>
#include <string>
#include <vector>

#include "ddp/trainer/block.hpp"
#include "trainer/models/linear.hpp"

namespace ddp::trainer {
namespace {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;

// Modules are made and registered in the order of torchvision's, since each one draws its weights from the
// same generator.

Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
  return Conv2d(torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// Names its children as Python's nn.Sequential does; who makes it keeps them in their own types.
std::shared_ptr<torch::nn::Module> sequential() {
  return std::make_shared<torch::nn::Module>("Sequential");
}

// The way around a block whose output has another shape than its input.
class Downsample : public torch::nn::Module {
 public:
  Downsample(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv_(register_module("0", conv(in, out, 1, stride))), bn_(register_module("1", BatchNorm2d(out))) {}

  torch::Tensor forward(const torch::Tensor& x) { return bn_->forward(conv_->forward(x)); }

 private:
  Conv2d conv_;
  BatchNorm2d bn_;
};

struct BlockShape {
  std::int64_t in;
  std::int64_t planes;
  std::int64_t stride;
};

class ResidualBlock : public Block {
 public:
  // Of the last normalisation before the sum.
  virtual torch::Tensor& residual_scale() = 0;

 protected:
  static std::shared_ptr<Downsample> make_downsample(const BlockShape& shape, std::int64_t out) {
    if (shape.stride == 1 && shape.in == out) return nullptr;
    return std::make_shared<Downsample>(shape.in, out, shape.stride);
  }

  // relu(out + around(x)); `out` is overwritten.
  static torch::Tensor add_identity(torch::Tensor out, const torch::Tensor& x,
                                    const std::shared_ptr<Downsample>& around) {
    out.add_(around ? around->forward(x) : x);
    return out.relu_();
  }
};

class BasicBlock final : public ResidualBlock {
 public:
  static constexpr std::int64_t kExpansion = 1;

  explicit BasicBlock(const BlockShape& shape)
      : downsample_(make_downsample(shape, shape.planes)),
        conv1_(register_module("conv1", conv(shape.in, shape.planes, 3, shape.stride))),
        bn1_(register_module("bn1", BatchNorm2d(shape.planes))),
        conv2_(register_module("conv2", conv(shape.planes, shape.planes, 3))),
        bn2_(register_module("bn2", BatchNorm2d(shape.planes))) {
    if (downsample_) register_module("downsample", downsample_);
  }

  torch::Tensor forward(const torch::Tensor& x) override {
    torch::Tensor out = bn1_->forward(conv1_->forward(x)).relu_();
    out = bn2_->forward(conv2_->forward(out));
    return add_identity(std::move(out), x, downsample_);
  }
  torch::Tensor& residual_scale() override { return bn2_->weight; }

 private:
  std::shared_ptr<Downsample> downsample_;
  Conv2d conv1_;
  BatchNorm2d bn1_;
  Conv2d conv2_;
  BatchNorm2d bn2_;
};

class Bottleneck final : public ResidualBlock {
 public:
  static constexpr std::int64_t kExpansion = 4;

  explicit Bottleneck(const BlockShape& shape)
      : downsample_(make_downsample(shape, shape.planes * kExpansion)),
        conv1_(register_module("conv1", conv(shape.in, shape.planes, 1))),
        bn1_(register_module("bn1", BatchNorm2d(shape.planes))),
        conv2_(register_module("conv2", conv(shape.planes, shape.planes, 3, shape.stride))),
        bn2_(register_module("bn2", BatchNorm2d(shape.planes))),
        conv3_(register_module("conv3", conv(shape.planes, shape.planes * kExpansion, 1))),
        bn3_(register_module("bn3", BatchNorm2d(shape.planes * kExpansion))) {
    if (downsample_) register_module("downsample", downsample_);
  }

  torch::Tensor forward(const torch::Tensor& x) override {
    torch::Tensor out = bn1_->forward(conv1_->forward(x)).relu_();
    out = bn2_->forward(conv2_->forward(out)).relu_();
    out = bn3_->forward(conv3_->forward(out));
    return add_identity(std::move(out), x, downsample_);
  }
  torch::Tensor& residual_scale() override { return bn3_->weight; }

 private:
  std::shared_ptr<Downsample> downsample_;
  Conv2d conv1_;
  BatchNorm2d bn1_;
  Conv2d conv2_;
  BatchNorm2d bn2_;
  Conv2d conv3_;
  BatchNorm2d bn3_;
};

enum class Stem { imagenet, cifar };

struct ResNetOptions {
  std::int64_t num_classes;
  Stem stem;
  std::int64_t in_channels;
  bool zero_init_residual;
};

ResNetOptions options_of(const Component& model) {
  return {.num_classes = model.get<std::int64_t>("num_classes"),
          .stem = model.get<std::string>("stem") == "cifar" ? Stem::cifar : Stem::imagenet,
          .in_channels = model.get<std::int64_t>("in_channels"),
          .zero_init_residual = model.get<bool>("zero_init_residual")};
}

// torchvision.models.resnet18 and its deeper forms. Another first layer takes the place of theirs when the
// model is made, in Python:
//
//   model = torchvision.models.resnet18(num_classes=10, zero_init_residual=False)
//   model.conv1 = nn.Conv2d(in_channels, 64, 3, padding=1, bias=False)            # stem: cifar
//   model.maxpool = nn.Identity()
//   model.conv1 = nn.Conv2d(in_channels, 64, 7, stride=2, padding=3, bias=False)  # stem: imagenet,
//   in_channels not 3
class ResNet final : public Model {
 public:
  template <class Kind>
  static std::shared_ptr<ResNet> make(const std::array<int, 4>& depths, const Component& component) {
    const ResNetOptions options = options_of(component);
    auto model = std::make_shared<ResNet>(options.stem);
    std::int64_t channels = 64;
    for (std::size_t i = 0; i < depths.size(); ++i) channels = model->add_layer<Kind>(i, depths[i], channels);
    model->fc_ = model->register_module("fc", torch::nn::Linear(channels, options.num_classes));
    model->initialise(options);
    return model;
  }

  explicit ResNet(Stem stem)
      : stem_(stem),
        conv1_(register_module("conv1", conv(3, 64, 7, 2))),
        bn1_(register_module("bn1", BatchNorm2d(64))) {}

  torch::Tensor forward(const torch::Tensor& input) override {
    torch::Tensor x = bn1_->forward(conv1_->forward(input)).relu_();
    if (stem_ == Stem::imagenet) x = at::max_pool2d(x, 3, 2, 1);
    for (const auto& block : blocks_) x = (*block)(x);
    return linear(fc_, at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  // layer1 … layer4: `depth` blocks, the first of which halves the image, except in layer1. Returns the
  // channels that come out.
  template <class Kind>
  std::int64_t add_layer(std::size_t index, int depth, std::int64_t channels) {
    const auto layer = sequential();
    const std::int64_t planes = std::int64_t{64} << index;
    for (int i = 0; i < depth; ++i) {
      const std::int64_t stride = i == 0 && index > 0 ? 2 : 1;
      blocks_.push_back(layer->register_module(std::to_string(i),
                                               std::make_shared<Kind>(BlockShape{channels, planes, stride})));
      channels = planes * Kind::kExpansion;
    }
    register_module("layer" + std::to_string(index + 1), layer);
    return channels;
  }

  void initialise(const ResNetOptions& options) {
    for (const auto& module : modules()) {
      if (auto* layer = module->as<Conv2d>())
        torch::nn::init::kaiming_normal_(layer->weight, 0, torch::kFanOut, torch::kReLU);
    }
    if (options.zero_init_residual) {
      for (const auto& block : blocks_) torch::nn::init::zeros_(block->residual_scale());
    }
    if (options.stem == Stem::cifar)
      conv1_ = replace_module("conv1", conv(options.in_channels, 64, 3));
    else if (options.in_channels != 3)
      conv1_ = replace_module("conv1", conv(options.in_channels, 64, 7, 2));
  }

  Stem stem_;
  Conv2d conv1_;
  BatchNorm2d bn1_;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace

std::shared_ptr<Model> make_resnet18(const Component& model) {
  return ResNet::make<BasicBlock>({2, 2, 2, 2}, model);
}
std::shared_ptr<Model> make_resnet34(const Component& model) {
  return ResNet::make<BasicBlock>({3, 4, 6, 3}, model);
}
std::shared_ptr<Model> make_resnet50(const Component& model) {
  return ResNet::make<Bottleneck>({3, 4, 6, 3}, model);
}

}  // namespace ddp::trainer
