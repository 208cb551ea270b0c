// A trainer with a model made of blocks, for the tests of strategies that shard it. tests/peers/blocks.py is
// the same model in Python: names, order and initial bytes of the parameters.
#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <ddp/trainer/block.hpp>
#include <ddp/trainer/train_main.hpp>

#include <functional>
#include <numeric>

#include "trainer/models/linear.hpp"

using namespace ddp::trainer;

namespace {

using torch::Tensor;

struct BlockShape {
  std::int64_t width;
  std::int64_t heads;
  bool nested;  // another block inside
  bool unused;  // a layer that forward never calls
};

Tensor layer_norm(const torch::nn::LayerNorm& layer, const Tensor& input) {
  return at::layer_norm(input, {input.size(-1)}, layer->weight, layer->bias);
}

/// `qkv`: [batch, tokens, 3 * width], to [batch, tokens, width]
Tensor attention(const Tensor& qkv, std::int64_t heads) {
  const std::int64_t batch = qkv.size(0);
  const std::int64_t tokens = qkv.size(1);
  const std::int64_t width = qkv.size(2) / 3;
  std::vector<Tensor> parts = qkv.chunk(3, -1);
  for (Tensor& part : parts) part = part.view({batch, tokens, heads, width / heads}).transpose(1, 2);
  return at::scaled_dot_product_attention(parts[0], parts[1], parts[2])
      .transpose(1, 2)
      .reshape({batch, tokens, width});
}

// Parameters of its own beside its children, one of them with a single row: most ranks hold nothing of it.
class AttentionBlock final : public Block {
 public:
  explicit AttentionBlock(const BlockShape& shape)
      : heads_(shape.heads),
        scale_(register_parameter("scale", at::ones({shape.width}))),
        gain_(register_parameter("gain", at::ones({1}))),
        norm1_(register_module("norm1", torch::nn::LayerNorm(norm_of(shape)))),
        qkv_(register_module("qkv", torch::nn::Linear(shape.width, 3 * shape.width))),
        proj_(register_module("proj", torch::nn::Linear(shape.width, shape.width))),
        norm2_(register_module("norm2", torch::nn::LayerNorm(norm_of(shape)))),
        fc1_(register_module("fc1", torch::nn::Linear(shape.width, 4 * shape.width))),
        fc2_(register_module("fc2", torch::nn::Linear(4 * shape.width, shape.width))) {
    if (shape.nested) {
      inner_ = register_module("inner", std::make_shared<AttentionBlock>(
                                            BlockShape{shape.width, shape.heads, false, shape.unused}));
    }
    if (shape.unused) register_module("unused", torch::nn::Linear(shape.width, shape.width));
  }

  Tensor forward(const Tensor& input) override {
    Tensor x = input + linear(proj_, attention(linear(qkv_, layer_norm(norm1_, input)), heads_)) * gain_;
    if (inner_) x = (*inner_)(x);
    return x + linear(fc2_, at::gelu(linear(fc1_, layer_norm(norm2_, x)))) * scale_;
  }

 private:
  static torch::nn::LayerNormOptions norm_of(const BlockShape& shape) {
    return torch::nn::LayerNormOptions({shape.width});
  }

  std::int64_t heads_;
  Tensor scale_;
  Tensor gain_;
  torch::nn::LayerNorm norm1_;
  torch::nn::Linear qkv_;
  torch::nn::Linear proj_;
  torch::nn::LayerNorm norm2_;
  torch::nn::Linear fc1_;
  torch::nn::Linear fc2_;
  std::shared_ptr<AttentionBlock> inner_;
};

class Blocks final : public Model {
 public:
  explicit Blocks(const Component& model)
      : tokens_(model.get<std::int64_t>("tokens")),
        features_(model.get<std::int64_t>("features")),
        embed_(register_module("embed", torch::nn::Linear(features_, width_of(model)))),
        positions_(register_parameter("positions", at::randn({tokens_, width_of(model)}).mul_(0.02))) {
    add_blocks(model);
    norm_ = register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width_of(model)})));
    if (model.get<bool>("batch_norm"))
      batch_norm_ = register_module("batch_norm", torch::nn::BatchNorm1d(width_of(model)));
    head_ =
        register_module("head", torch::nn::Linear(width_of(model), model.get<std::int64_t>("num_classes")));
    if (model.get<bool>("frozen"))
      for (Tensor& parameter : blocks_.front()->parameters()) parameter.set_requires_grad(false);
  }

  Tensor forward(const Tensor& input) override {
    Tensor x = linear(embed_, input.reshape({input.size(0), tokens_, features_})) + positions_;
    for (const auto& block : blocks_) x = (*block)(x);
    x = layer_norm(norm_, x).mean(1);
    if (batch_norm_) x = batch_norm_->forward(x);
    return linear(head_, x);
  }

 private:
  static std::int64_t width_of(const Component& model) { return model.get<std::int64_t>("width"); }

  void add_blocks(const Component& model) {
    const auto list = register_module("blocks", std::make_shared<torch::nn::Module>("ModuleList"));
    const BlockShape shape{width_of(model), model.get<std::int64_t>("heads"), model.get<bool>("nested"),
                           model.get<bool>("unused")};
    for (std::int64_t i = 0; i < model.get<std::int64_t>("depth"); ++i)
      blocks_.push_back(list->register_module(std::to_string(i), std::make_shared<AttentionBlock>(shape)));
  }

  std::int64_t tokens_;
  std::int64_t features_;
  torch::nn::Linear embed_;
  Tensor positions_;
  std::vector<std::shared_ptr<AttentionBlock>> blocks_;
  torch::nn::LayerNorm norm_ = nullptr;
  torch::nn::BatchNorm1d batch_norm_ = nullptr;
  torch::nn::Linear head_ = nullptr;
};

std::string conflict(const Component& model) {
  const auto heads = model.get<std::int64_t>("heads");
  return model.get<std::int64_t>("width") % heads == 0 ? "" : "heads must divide width";
}

std::string mismatch(const Component& model, const SampleShape& shape) {
  const auto values =
      std::accumulate(shape.dims.begin(), shape.dims.end(), std::int64_t{1}, std::multiplies<>());
  const bool fits = model.get<std::int64_t>("tokens") * model.get<std::int64_t>("features") == values;
  return fits ? "" : "it needs tokens x features values per sample";
}

OptionSchema count(const std::string& key, std::int64_t default_value, const std::string& doc) {
  return {.key = key, .default_value = default_value, .doc = doc, .integers = {1, 1'000'000}};
}

OptionSchema choice(const std::string& key, const std::string& doc) {
  return {.key = key, .default_value = false, .doc = doc};
}

ModelKind blocks() {
  return {.schema = {.name = "blocks",
                     .doc = "a transformer that classifies sequences of vectors",
                     .options = {count("tokens", 28, "vectors per sample"),
                                 count("features", 28, "values per vector"),
                                 count("width", 30, "values per token inside"),
                                 count("depth", 3, "number of blocks"),
                                 count("heads", 3, "number of heads of the attention"),
                                 count("num_classes", 10, "number of outputs"),
                                 choice("frozen", "the first block is not trained"),
                                 choice("unused", "each block has a layer that is never called"),
                                 choice("batch_norm", "a BatchNorm layer before the head"),
                                 choice("nested", "each block has another block inside")},
                     .conflict = conflict,
                     .mismatch = mismatch},
          .make = [](const Component& model) { return std::make_shared<Blocks>(model); }};
}

}  // namespace

int main(int argc, char** argv) {
  train_main(argc, argv, {.models = {blocks()}, .datasets = {}});
}
