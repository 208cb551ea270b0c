#include "trainer/sharding/block_parameters.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_in(const BlockParameters& block) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : block.parameters) names.push_back(name);
  return names;
}

struct Layer : Block {
  Layer() {
    scale = register_parameter("scale", at::ones({2}));
    child = register_module("child", std::make_shared<torch::nn::Module>());
    child->register_parameter("weight", at::ones({2}));
  }
  torch::Tensor forward(const torch::Tensor& input) override { return input * scale; }

  torch::Tensor scale;
  std::shared_ptr<torch::nn::Module> child;
};

TEST(BlockParameters, AModelWithoutBlocksIsOneGroup) {
  torch::nn::Module model;
  model.register_parameter("a", at::ones({2}));
  model.register_module("child", std::make_shared<torch::nn::Module>())
      ->register_parameter("b", at::ones({2}));
  const auto groups = find_block_parameters(model);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].block, nullptr);
  EXPECT_THAT(names_in(groups[0]), ElementsAre("child.b", "a"));
}

TEST(BlockParameters, ABlockHasItsOwnAfterThoseOfItsChildren) {
  torch::nn::Module model;
  model.register_parameter("head", at::ones({2}));
  const auto layer = model.register_module("layer", std::make_shared<Layer>());
  const auto groups = find_block_parameters(model);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].block, layer.get());
  EXPECT_EQ(groups[0].name, "layer");
  EXPECT_THAT(names_in(groups[0]), ElementsAre("layer.child.weight", "layer.scale"));
  EXPECT_THAT(names_in(groups[1]), ElementsAre("head"));
}

TEST(BlockParameters, ABlockWithinABlockComesFirst) {
  torch::nn::Module model;
  const auto outer = model.register_module("outer", std::make_shared<Layer>());
  outer->register_module("inner", std::make_shared<Layer>());
  const auto groups = find_block_parameters(model);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name, "outer.inner");
  EXPECT_THAT(names_in(groups[1]), ElementsAre("outer.child.weight", "outer.scale"));
  EXPECT_THAT(names_in(groups[2]), ElementsAre());
}

TEST(BlockParameters, WhatHasTwoNamesCountsOnce) {
  torch::nn::Module model;
  const torch::Tensor tied = model.register_parameter("tied", at::ones({2}));
  model.register_module("child", std::make_shared<torch::nn::Module>())->register_parameter("also", tied);
  EXPECT_THAT(names_in(find_block_parameters(model)[0]), ElementsAre("child.also"));
}

TEST(BlockParameters, WhatTwoBlocksShareIsRefused) {
  torch::nn::Module model;
  const torch::Tensor tied = model.register_parameter("tied", at::ones({2}));
  model.register_module("layer", std::make_shared<Layer>())->register_parameter("also", tied);
  EXPECT_THAT([&model] { (void)find_block_parameters(model); },
              testing::ThrowsMessage<InvalidConfiguration>(
                  testing::HasSubstr("'layer.also' and 'tied' are one tensor")));
}

}  // namespace
}  // namespace ddp::trainer
