#include "trainer/optim/grad_scaler.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/trainer/same_tensors.hpp"

namespace ddp::trainer {
namespace {

float scale_of(const GradScaler& scaler) {
  return scaler.scale(at::ones({})).item<float>();
}

/// One step with these gradients. Returns whether all were finite.
bool step(GradScaler& scaler, const std::vector<torch::Tensor>& gradients) {
  const auto found_inf = scaler.unscale(gradients);
  scaler.update(found_inf);
  return found_inf.item<float>() == 0;
}

TEST(GradScaler, DividesByWhatItHasMultipliedBy) {
  const GradScaler scaler(at::kCPU);
  EXPECT_EQ(scale_of(scaler), 65'536);
  const std::vector<torch::Tensor> gradients = {scaler.scale(at::full({3}, 0.5)), scaler.scale(at::ones({}))};
  EXPECT_EQ(scaler.unscale(gradients).item<float>(), 0);
  EXPECT_TRUE(gradients[0].equal(at::full({3}, 0.5)));
  EXPECT_TRUE(gradients[1].equal(at::ones({})));
}

TEST(GradScaler, ShrinksAfterInfinitiesAndNans) {
  GradScaler scaler(at::kCPU);
  EXPECT_FALSE(step(scaler, {at::ones({3}), at::full({2}, std::numeric_limits<float>::infinity())}));
  EXPECT_EQ(scale_of(scaler), 32'768);
  EXPECT_FALSE(step(scaler, {at::full({2}, std::numeric_limits<float>::quiet_NaN())}));
  EXPECT_EQ(scale_of(scaler), 16'384);
}

TEST(GradScaler, GrowsAfterAnIntervalOfGoodSteps) {
  GradScaler scaler(at::kCPU, {.init_scale = 8, .growth_interval = 3});
  for (int i = 0; i < 2; ++i) step(scaler, {at::ones({1})});
  EXPECT_EQ(scale_of(scaler), 8);
  step(scaler, {at::ones({1})});
  EXPECT_EQ(scale_of(scaler), 16);
  // A bad step begins the interval anew.
  for (const float value : {1.0f, 1.0f, std::numeric_limits<float>::infinity(), 1.0f, 1.0f})
    step(scaler, {at::full({1}, value)});
  EXPECT_EQ(scale_of(scaler), 8);
}

TEST(GradScaler, FollowsTheWordOfOtherRanks) {
  GradScaler scaler(at::kCPU);
  scaler.update(at::full({}, 2.0));  // two of them found one
  EXPECT_EQ(scale_of(scaler), 32'768);
  EXPECT_EQ(scaler.unscale({}).item<float>(), 0);
}

TEST(GradScaler, GoesOnFromItsState) {
  GradScaler first(at::kCPU, {.init_scale = 8, .growth_interval = 3});
  for (int i = 0; i < 5; ++i) step(first, {at::ones({1})});
  NamedTensors saved;
  for (const auto& [name, tensor] : first.state()) saved.emplace_back(name, tensor.clone());
  GradScaler second(at::kCPU, {.growth_interval = 3});
  second.load_state(saved);
  step(first, {at::ones({1})});
  step(second, {at::ones({1})});
  EXPECT_TRUE(same_tensors(first.state(), second.state()));
  EXPECT_EQ(scale_of(second), 32);
}

}  // namespace
}  // namespace ddp::trainer
