#include "trainer/loop/step/autocast.hpp"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace ddp::trainer {
namespace {

at::ScalarType type_of_product() {
  return at::mm(at::ones({2, 2}), at::ones({2, 2})).scalar_type();
}

TEST(Autocast, LowersPrecisionWhileItLives) {
  {
    const Autocast autocast(Precision::bf16, at::kCPU);
    EXPECT_EQ(type_of_product(), at::kBFloat16);
  }
  EXPECT_EQ(type_of_product(), at::kFloat);
  const Autocast none(Precision::fp32, at::kCPU);
  EXPECT_EQ(type_of_product(), at::kFloat);
}

TEST(Autocast, PutsBackWhatWasThereThoughItIsLeftByAnException) {
  const auto type = at::autocast::get_autocast_dtype(at::kCPU);
  const bool cached = at::autocast::is_autocast_cache_enabled();
  const auto fail = [] {
    const Autocast outer(Precision::bf16, at::kCPU);
    const Autocast inner(Precision::fp16, at::kCPU);
    throw std::runtime_error("in a forward pass");
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  EXPECT_EQ(at::autocast::get_autocast_dtype(at::kCPU), type);
  EXPECT_EQ(at::autocast::is_autocast_cache_enabled(), cached);
  EXPECT_EQ(at::autocast::increment_nesting(), 1);
  at::autocast::decrement_nesting();
}

}  // namespace
}  // namespace ddp::trainer
