// With one rank: the arithmetic. What several ranks reach together is tested in tests/distributed.
#include "trainer/distributed/batch_norm_over_ranks.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "ddp/trainer/init_process_group.hpp"
#include "ddp/trainer/invalid_configuration.hpp"
#include "ddp/trainer/sync_batch_norm.hpp"

namespace ddp::trainer {
namespace {

using torch::Tensor;

/// A layer's parts, and what a pass leaves.
struct NormPass {
  explicit NormPass(std::int64_t channels, at::ScalarType type = at::kFloat) {
    torch::manual_seed(4);
    parts.weight = (at::rand({channels}, type) + 0.5).set_requires_grad(true);
    parts.bias = at::randn({channels}, type).set_requires_grad(true);
    parts.running_mean = at::zeros({channels}, type);
    parts.running_var = at::ones({channels}, type);
  }

  template <class Norm>
  void run(const Tensor& samples, const Norm& norm) {
    input = samples.detach().clone().set_requires_grad(true);
    output = norm(input, parts);
    output.mul(at::sin(at::arange(output.numel(), at::kFloat)).view(output.sizes())).sum().backward();
  }

  BatchNormParts parts;
  Tensor input;
  Tensor output;
};

Tensor plain_layer(const Tensor& input, const BatchNormParts& parts) {
  return at::batch_norm(input, parts.weight, parts.bias, parts.running_mean, parts.running_var,
                        /*training=*/true, parts.momentum, parts.eps, /*cudnn_enabled=*/false);
}

class BatchNormOverRanksTest : public testing::Test {
 protected:
  Tensor over_ranks(const Tensor& input, const BatchNormParts& parts) {
    return batch_norm_over_ranks(input, parts, group_);
  }

  void expect_like_plain(const Tensor& samples, double tolerance) {
    NormPass ours(samples.size(1));
    NormPass theirs(samples.size(1));
    ours.run(samples, [this](const Tensor& input, const auto& parts) { return over_ranks(input, parts); });
    theirs.run(samples, plain_layer);
    const auto expect_near = [&](const char* what, const Tensor& actual, const Tensor& expected) {
      ASSERT_EQ(actual.scalar_type(), expected.scalar_type()) << what;
      const double size = expected.abs().max().item<double>();
      EXPECT_LE((actual - expected).abs().max().item<double>(), tolerance * size) << what;
    };
    expect_near("output", ours.output, theirs.output);
    EXPECT_EQ(ours.output.strides(), theirs.output.strides());
    expect_near("input", ours.input.grad(), theirs.input.grad());
    expect_near("weight", ours.parts.weight.grad(), theirs.parts.weight.grad());
    expect_near("bias", ours.parts.bias.grad(), theirs.parts.bias.grad());
    expect_near("mean", ours.parts.running_mean, theirs.parts.running_mean);
    expect_near("variance", ours.parts.running_var, theirs.parts.running_var);
  }

 private:
  ProcessGroup group_ = init_process_group({});
};

TEST_F(BatchNormOverRanksTest, WithOneRankIsThePlainLayer) {
  torch::manual_seed(3);
  expect_like_plain(at::randn({64, 7}), 1e-6);
  expect_like_plain(at::randn({5, 7, 6}), 1e-6);
  expect_like_plain(at::randn({8, 16, 9, 11}) * 3 + 2, 1e-6);
  expect_like_plain(at::randn({8, 16, 9, 11}).contiguous(at::MemoryFormat::ChannelsLast), 1e-6);
  expect_like_plain(at::randn({2, 3, 4, 5, 6}), 1e-6);
}

TEST_F(BatchNormOverRanksTest, TakesActivationsOfLowerPrecision) {
  torch::manual_seed(3);
  expect_like_plain(at::randn({8, 16, 9, 11}).to(at::kBFloat16), 0.02);
}

TEST_F(BatchNormOverRanksTest, ItsGradientsAreItsSlopes) {
  constexpr double kStep = 1e-5;
  NormPass pass(3, at::kDouble);
  pass.input = at::randn({4, 3, 2, 2}, at::kDouble).set_requires_grad(true);
  const Tensor direction = at::randn({4, 3, 2, 2}, at::kDouble);
  const auto loss = [&] { return (over_ranks(pass.input, pass.parts) * direction).pow(2).sum(); };
  loss().backward();
  for (const Tensor& variable : {pass.input, pass.parts.weight, pass.parts.bias}) {
    const Tensor gradient = variable.grad().reshape(-1);
    const at::NoGradGuard no_grad;
    double* values = variable.data_ptr<double>();
    for (std::int64_t i = 0; i < variable.numel(); ++i) {
      const double value = values[i];
      values[i] = value + kStep;
      const double above = loss().item<double>();
      values[i] = value - kStep;
      const double below = loss().item<double>();
      values[i] = value;
      EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-6) << i;
    }
  }
}

TEST_F(BatchNormOverRanksTest, NeedsNoGradientOfTheInput) {
  NormPass pass(3);
  over_ranks(at::randn({4, 3}), pass.parts).square().sum().backward();
  EXPECT_TRUE(pass.parts.weight.grad().defined());
}

TEST(SyncBatchNorm, RefusesWhatItCouldNotFindAgain) {
  ProcessGroup group = init_process_group({});
  EXPECT_THROW(SyncBatchNorm(torch::nn::LinearImpl(2, 2), group), InvalidConfiguration);
  const torch::nn::BatchNorm1dImpl bare(
      torch::nn::BatchNormOptions(2).affine(false).track_running_stats(false));
  EXPECT_THROW(SyncBatchNorm(bare, group), InvalidConfiguration);
  EXPECT_NO_THROW(SyncBatchNorm(torch::nn::BatchNorm1dImpl(2), group));
}

}  // namespace
}  // namespace ddp::trainer
