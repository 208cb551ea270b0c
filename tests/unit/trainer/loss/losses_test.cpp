#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/unit/trainer/component.hpp"
#include "trainer/loss/loss.hpp"

namespace ddp::trainer {
namespace {

Loss cross_entropy(double label_smoothing) {
  return make_loss(
      make_component(bundled_schemas().losses, "cross_entropy", {{"label_smoothing", label_smoothing}}));
}

const std::vector<double> kLogits = {0.5, -1, 2, 1, 0.25, -0.75};

double loss_of(const Loss& loss, std::int64_t first, std::int64_t second) {
  const at::Tensor logits = at::tensor(kLogits, at::kDouble).view({2, 3});
  const at::Tensor targets = at::tensor(std::vector<std::int64_t>{first, second}, at::kLong);
  return loss(logits, targets).item<double>();
}

TEST(CrossEntropy, IsTheMeanOverTheBatch) {
  const at::Tensor rows = at::tensor(kLogits, at::kDouble).view({2, 3}).log_softmax(1);
  const double expected = -(rows[0][2].item<double>() + rows[1][0].item<double>()) / 2;
  EXPECT_NEAR(loss_of(cross_entropy(0), 2, 0), expected, 1e-12);
}

TEST(CrossEntropy, SmoothingSpreadsAPartOfTheTarget) {
  const Loss plain = cross_entropy(0);
  const double spread = (loss_of(plain, 0, 0) + loss_of(plain, 1, 1) + loss_of(plain, 2, 2)) / 3;
  EXPECT_NEAR(loss_of(cross_entropy(0.1), 2, 0), 0.9 * loss_of(plain, 2, 0) + 0.1 * spread, 1e-12);
  EXPECT_NEAR(loss_of(cross_entropy(1), 2, 0), spread, 1e-12);
}

TEST(CrossEntropy, LetsGradientsThrough) {
  at::Tensor logits = at::zeros({2, 3});
  logits.set_requires_grad(true);
  cross_entropy(0.1)(logits, at::zeros({2}, at::kLong)).backward();
  EXPECT_LT(logits.grad()[0][0].item<float>(), 0);
}

TEST(Losses, OneThatIsNotInTheTableIsAProgrammingError) {
  EXPECT_THROW((void)make_loss({"hinge", {}}), std::logic_error);
}

}  // namespace
}  // namespace ddp::trainer
