#include "trainer/checkpoint/packed_tensors.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/unit/trainer/same_tensors.hpp"

namespace ddp::trainer {
namespace {

TEST(PackedTensors, ComeOutAsTheyWere) {
  at::manual_seed(1);
  const NamedTensors tensors = {{"odd.bytes", at::randint(256, {7}, at::kByte)},
                                {"a.step", at::full({}, 3.0F)},
                                {"a.exp_avg", at::randn({3, 5})},
                                {"half", at::randn({5}).to(at::kHalf)},
                                {"wide", at::randn({2, 1, 3}, at::kDouble)},
                                {"none", at::empty({0, 4}, at::kLong)},
                                {"a name with \"quotes\" and ü", at::ones({2}, at::kBool)}};
  EXPECT_TRUE(same_tensors(unpack_tensors(pack_tensors(tensors)), tensors));
}

TEST(PackedTensors, TakeOtherStrides) {
  const torch::Tensor strided = at::randn({4, 3}).t();
  const torch::Tensor last = at::randn({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast);
  const auto unpacked = unpack_tensors(pack_tensors({{"strided", strided}, {"last", last}}));
  EXPECT_TRUE(same_tensors(unpacked, {{"strided", strided}, {"last", last}}));
}

TEST(PackedTensors, MayBeNone) {
  EXPECT_TRUE(unpack_tensors(pack_tensors({})).empty());
}

}  // namespace
}  // namespace ddp::trainer
