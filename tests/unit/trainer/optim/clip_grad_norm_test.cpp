#include "trainer/optim/clip_grad_norm.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ddp::trainer {
namespace {

TEST(ClipGradNorm, ScalesAllDownToTheNorm) {
  const std::vector<torch::Tensor> gradients = {at::full({1}, 3.0), at::full({1}, 4.0)};
  EXPECT_FLOAT_EQ(clip_grad_norm(gradients, 0.5).item<float>(), 5);
  EXPECT_NEAR(gradients[0].item<float>(), 0.3, 1e-6);
  EXPECT_NEAR(gradients[1].item<float>(), 0.4, 1e-6);
}

TEST(ClipGradNorm, LeavesSmallerOnesAsTheyAre) {
  const std::vector<torch::Tensor> gradients = {at::full({2}, 0.25), at::full({3}, -0.5)};
  clip_grad_norm(gradients, 10);
  EXPECT_TRUE(gradients[0].equal(at::full({2}, 0.25)));
  EXPECT_TRUE(gradients[1].equal(at::full({3}, -0.5)));
}

TEST(ClipGradNorm, ShowsWhatIsNotFinite) {
  const std::vector<torch::Tensor> gradients = {at::full({1}, NAN), at::ones({1})};
  EXPECT_TRUE(std::isnan(clip_grad_norm(gradients, 1).item<float>()));
  EXPECT_TRUE(std::isnan(gradients[1].item<float>()));
  EXPECT_EQ(clip_grad_norm({}, 1).item<float>(), 0);
}

}  // namespace
}  // namespace ddp::trainer
