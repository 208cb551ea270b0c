#include "trainer/sharding/fully_sharded_module.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#include <sstream>

#include "ddp/trainer/init_process_group.hpp"
#include "ddp/trainer/invalid_configuration.hpp"
#include "tests/unit/trainer/same_tensors.hpp"

// One rank; several are compared with Python, byte for byte, and with each other.
namespace ddp::trainer {
namespace {

struct Doubling : Block {
  Doubling() : linear(register_module("linear", torch::nn::Linear(4, 4))) {}
  torch::Tensor forward(const torch::Tensor& input) override {
    has_values = linear->weight.storage().nbytes() > 0;
    return input + linear->forward(input).tanh();
  }

  torch::nn::Linear linear;
  bool has_values = false;
};

struct Net : torch::nn::Module {
  Net() {
    for (const char* name : {"first", "second"})
      layers.push_back(register_module(name, std::make_shared<Doubling>()));
    head = register_module("head", torch::nn::Linear(4, 3));
  }
  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = input;
    for (int i = 0; i < repeats; ++i)
      for (const auto& layer : layers) x = (*layer)(x);
    return head->forward(x);
  }

  int repeats = 1;
  std::vector<std::shared_ptr<Doubling>> layers;
  torch::nn::Linear head{nullptr};
};

std::shared_ptr<Net> make_net() {
  torch::manual_seed(3);
  return std::make_shared<Net>();
}

/// A net of one rank, sharded, and the same one that is not.
class FullySharded : public testing::Test {
 protected:
  void wrap(const FullyShardedOptions& options = {}) {
    module.emplace(
        net, [this](const torch::Tensor& input) { return net->forward(input); }, ShardGroups{group}, options);
  }

  /// The gradients of both after these passes, of which the last one is reduced.
  void expect_same_gradients(int passes) {
    const torch::Tensor input = at::randn({5, 4});
    for (int pass = 0; pass < passes; ++pass) {
      module->set_gradient_sync(pass + 1 == passes ? GradientSync::now : GradientSync::later);
      module->forward(input + pass).square().sum().backward();
      plain->forward(input + pass).square().sum().backward();
    }
    const auto expected = plain->named_parameters();
    for (const auto& [name, rows] : module->rows()) {
      ASSERT_TRUE(rows.grad().defined()) << name;
      EXPECT_TRUE(same_tensor(rows.grad(), expected[name].grad())) << name;
    }
  }

  /// Bytes that the tensors of the net have now.
  std::size_t bytes_held() {
    std::size_t bytes = 0;
    for (const auto& parameter : net->parameters()) bytes += parameter.storage().nbytes();
    return bytes;
  }

  ProcessGroup group = init_process_group({});
  std::shared_ptr<Net> net = make_net();
  std::shared_ptr<Net> plain = make_net();
  std::optional<FullyShardedModule> module;
};

TEST_F(FullySharded, GivesTheGradientsOfTheModule) {
  for (const auto after_forward : {AfterForward::free, AfterForward::keep}) {
    for (const auto prefetch : {Prefetch::no, Prefetch::yes}) {
      module.reset();
      net = make_net();
      plain = make_net();
      wrap({.after_forward = after_forward, .prefetch = prefetch});
      expect_same_gradients(1);
    }
  }
}

TEST_F(FullySharded, AddsUpTheGradientsOfSeveralPasses) {
  wrap();
  expect_same_gradients(3);
  EXPECT_FALSE(net->head->weight.grad().defined());
}

TEST_F(FullySharded, ABlockMayBeUsedTwice) {
  wrap();
  net->repeats = plain->repeats = 2;
  const torch::Tensor input = at::randn({5, 4});
  module->forward(input).square().sum().backward();
  plain->forward(input).square().sum().backward();
  for (const auto& [name, rows] : module->rows())
    EXPECT_TRUE(at::allclose(rows.grad(), plain->named_parameters()[name].grad())) << name;
}

TEST_F(FullySharded, HoldsParametersOnlyWhileTheyAreUsed) {
  wrap();
  EXPECT_EQ(bytes_held(), 0u);
  const torch::Tensor output = module->forward(at::randn({5, 4}));
  EXPECT_TRUE(net->layers[0]->has_values);
  EXPECT_EQ(bytes_held(), net->head->weight.nbytes() + net->head->bias.nbytes());
  output.sum().backward();
  EXPECT_EQ(bytes_held(), 0u);
}

TEST_F(FullySharded, AnEvaluationLeavesNothingBehind) {
  wrap({.after_forward = AfterForward::keep, .prefetch = Prefetch::yes});
  const at::NoGradGuard no_grad;
  const torch::Tensor input = at::randn({5, 4});
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(same_tensor(module->forward(input), plain->forward(input)));
    EXPECT_EQ(bytes_held(), 0u);
  }
}

TEST_F(FullySharded, NamesRowsAsTheModuleDoes) {
  wrap();
  std::vector<std::string> names;
  for (const auto& [name, rows] : module->rows()) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAreArray(plain->named_parameters().keys()));
  EXPECT_TRUE(same_tensor(module->rows_of(net->head->weight).detach(), plain->head->weight.detach()));
  EXPECT_EQ(net->head->weight.sizes(), plain->head->weight.sizes());
}

TEST_F(FullySharded, WhatNeedsNoGradientGetsNone) {
  for (const auto& of : {net, plain}) of->layers[0]->linear->weight.set_requires_grad(false);
  wrap();
  module->forward(at::randn({5, 4})).sum().backward();
  EXPECT_FALSE(module->rows()[0].second.grad().defined());
  EXPECT_TRUE(module->rows()[1].second.grad().defined());
}

TEST_F(FullySharded, ComputesInParamDtypeAndGivesFloat32) {
  wrap({.param_dtype = at::kBFloat16});
  EXPECT_EQ(net->head->weight.scalar_type(), at::kBFloat16);
  const torch::Tensor output = module->forward(at::randn({5, 4}));
  EXPECT_EQ(output.scalar_type(), at::kFloat);
  output.sum().backward();
  EXPECT_EQ(module->rows()[0].second.grad().scalar_type(), at::kFloat);
}

TEST_F(FullySharded, ParametersThatALoadHasReplacedAreRefused) {
  wrap();
  std::stringstream file;
  torch::save(plain->layers[1], file);
  torch::load(net->layers[1], file);
  EXPECT_THAT(
      [this] {
        (void)module->forward(at::ones({1, 4}));
      },
      testing::ThrowsMessage<InvalidConfiguration>(
          "the parameter 'second.linear.weight' was replaced after the model was sharded, so it would "
          "not be trained; load before that"));
}

TEST_F(FullySharded, BlocksAreTheirOwnAfterwards) {
  wrap();
  module.reset();
  EXPECT_NO_THROW(net->layers[0]->run_by(nullptr));
  net = make_net();
  EXPECT_TRUE(same_tensor(net->forward(at::ones({1, 4})), plain->forward(at::ones({1, 4}))));
}

TEST_F(FullySharded, AScalarParameterIsRefused) {
  net->register_parameter("temperature", at::ones({}));
  EXPECT_THAT([this] { wrap(); },
              testing::ThrowsMessage<std::exception>(testing::HasSubstr("'temperature'")));
}

}  // namespace
}  // namespace ddp::trainer
