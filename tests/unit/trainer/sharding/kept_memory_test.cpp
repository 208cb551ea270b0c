#include "trainer/sharding/kept_memory.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

TEST(KeptMemory, IsGivenOutAgain) {
  KeptMemory memory(at::kCPU);
  torch::Tensor first = memory.take(1000);
  const void* const address = first.const_data_ptr();
  memory.give_back(first);
  EXPECT_FALSE(first.defined());
  EXPECT_EQ(memory.take(900).const_data_ptr(), address);
}

TEST(KeptMemory, TakesTheSmallestThatFits) {
  KeptMemory memory(at::kCPU);
  torch::Tensor large = memory.take(150);
  torch::Tensor small = memory.take(100);
  const void* const address = small.const_data_ptr();
  memory.give_back(large);
  memory.give_back(small);
  EXPECT_EQ(memory.take(90).const_data_ptr(), address);
}

TEST(KeptMemory, LeavesMuchLargerMemoryForLargerBlocks) {
  KeptMemory memory(at::kCPU);
  torch::Tensor large = memory.take(1000);
  const void* const address = large.const_data_ptr();
  memory.give_back(large);
  const torch::Tensor small = memory.take(10);
  EXPECT_NE(small.const_data_ptr(), address);
  EXPECT_EQ(memory.take(1000).const_data_ptr(), address);
}

TEST(KeptMemory, NothingIsNotKept) {
  KeptMemory memory(at::kCPU);
  torch::Tensor nothing;
  memory.give_back(nothing);
  EXPECT_EQ(memory.take(8).numel(), 8);
}

}  // namespace
}  // namespace ddp::trainer
