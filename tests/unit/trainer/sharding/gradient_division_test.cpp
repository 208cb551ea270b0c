#include "trainer/sharding/gradient_division.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

TEST(GradientDivision, Float32AndBfloat16AreDividedAfterEachSum) {
  for (const auto type : {c10::ScalarType::Float, c10::ScalarType::BFloat16}) {
    EXPECT_EQ(gradient_division(3, 1, type, c10::DeviceType::CPU), (GradientDivision{.after_shards = 3}));
    EXPECT_EQ(gradient_division(4, 2, type, c10::DeviceType::CPU),
              (GradientDivision{.after_shards = 4, .after_replicas = 2}));
  }
}

TEST(GradientDivision, NcclMakesMeansOfThemItself) {
  for (const auto type : {c10::ScalarType::Float, c10::ScalarType::BFloat16}) {
    const GradientDivision means{.reduction = Reduction::mean};
    EXPECT_EQ(gradient_division(3, 1, type, c10::DeviceType::CUDA), means);
    EXPECT_EQ(gradient_division(1, 2, type, c10::DeviceType::CUDA), means);
    EXPECT_EQ(gradient_division(1, 1, type, c10::DeviceType::CUDA), GradientDivision{});
  }
}

TEST(GradientDivision, Float16IsDividedOnBothSides) {
  const auto of = [](int shards, int replicas) {
    const auto on_cpu = gradient_division(shards, replicas, c10::ScalarType::Half, c10::DeviceType::CPU);
    EXPECT_EQ(on_cpu, gradient_division(shards, replicas, c10::ScalarType::Half, c10::DeviceType::CUDA));
    return on_cpu;
  };
  EXPECT_EQ(of(1, 1), (GradientDivision{}));
  EXPECT_EQ(of(2, 1), (GradientDivision{.before = 2, .after_replicas = 1}));
  EXPECT_EQ(of(3, 1), (GradientDivision{.before = 2, .after_replicas = 1.5}));
  EXPECT_EQ(of(4, 1), (GradientDivision{.before = 2, .after_replicas = 2}));
  EXPECT_EQ(of(4, 4), (GradientDivision{.before = 4, .after_replicas = 4}));
}

}  // namespace
}  // namespace ddp::trainer
