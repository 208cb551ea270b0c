#include "trainer/shm/shared_memory_gloo.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/unit/trainer/rank_threads.hpp"

namespace ddp::trainer {
namespace {

/// Two ranks in two threads, which share memory.
class SharedMemoryGloos : public testing::Test {
 protected:
  void run_both(const std::function<void(SharedMemoryGloo& gloo)>& rank_main) {
    const auto store = c10::make_intrusive<c10d::HashStore>();
    auto memory = SharedMemory::create(SharedSum::bytes_for(2));
    const std::string address = memory.address();
    run_ranks(2, [&](int rank) {
      const auto gloo = c10::make_intrusive<SharedMemoryGloo>(store, rank, 2, gloo_options());
      SharedSum sum(SharedMemory::open(address), rank, 2);
      run_collective([&] { return gloo->barrier(); });
      gloo->use(std::move(sum));
      rank_main(*gloo);
      run_collective([&] { return gloo->barrier(); });
    });
  }

  static c10::intrusive_ptr<c10d::Work> sum(SharedMemoryGloo& gloo, const at::Tensor& tensor) {
    std::vector<at::Tensor> tensors = {tensor};
    return gloo.allreduce(tensors, {});
  }
};

TEST_F(SharedMemoryGloos, OutsideOfABackwardNothingWaits) {
  run_both([](SharedMemoryGloo& gloo) {
    gloo.defer_sums_of_backward();
    const at::Tensor tensor = at::ones({3});
    const auto work = sum(gloo, tensor);
    EXPECT_TRUE(work->isCompleted());
    EXPECT_TRUE(work->isSuccess());
    EXPECT_TRUE(work->getFuture()->completed());
    EXPECT_TRUE(work->result().front().is_same(tensor));
    EXPECT_TRUE(tensor.eq(2).all().item<bool>());
    EXPECT_EQ(gloo.mean_time_after_backward().count(), 0);
  });
}

TEST_F(SharedMemoryGloos, WhatItDoesNotTakeGoesOverGloo) {
  run_both([](SharedMemoryGloo& gloo) {
    std::vector<at::Tensor> largest = {at::full({1}, gloo.getRank(), at::kLong)};
    run_collective([&] { return gloo.allreduce(largest, {.reduceOp = c10d::ReduceOp::MAX}); });
    EXPECT_EQ(largest.front().item<int>(), 1);
    const at::Tensor halves = at::full({2}, 0.5, at::kBFloat16);
    run_collective([&] { return sum(gloo, halves); });
    EXPECT_TRUE(halves.eq(1).all().item<bool>());
  });
}

/// Calls `hook` in the backward of something.
void in_backward(const std::function<void()>& hook) {
  const at::AutoGradMode with_graph(true);  // a backward has it off
  const at::Tensor leaf = torch::ones({1}, at::requires_grad());
  const at::Tensor output = leaf * 2;
  output.register_hook([&](const at::Tensor&) { hook(); });
  output.sum().backward();
}

TEST_F(SharedMemoryGloos, SumsOfABackwardWaitUntilTheyAreFinished) {
  run_both([](SharedMemoryGloo& gloo) {
    const at::Tensor first = at::ones({3});
    const at::Tensor second = at::ones({4});
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    in_backward([&] {
      gloo.defer_sums_of_backward();
      works = {sum(gloo, first), sum(gloo, second)};
      EXPECT_FALSE(works[0]->isCompleted());
      EXPECT_TRUE(first.eq(1).all().item<bool>());
    });
    EXPECT_FALSE(works[1]->isCompleted());
    gloo.finish();
    EXPECT_TRUE(works[0]->getFuture()->completed());
    EXPECT_TRUE(works[1]->getFuture()->completed());
    EXPECT_TRUE(second.eq(2).all().item<bool>());
    EXPECT_GT(gloo.mean_time_after_backward().count(), 0);
  });
}

TEST_F(SharedMemoryGloos, WhoWaitsForOneHasAllDone) {
  run_both([](SharedMemoryGloo& gloo) {
    const at::Tensor first = at::ones({3});
    const at::Tensor second = at::ones({4});
    in_backward([&] {
      gloo.defer_sums_of_backward();
      const auto before = sum(gloo, first);
      sum(gloo, second)->wait();
      EXPECT_TRUE(before->isCompleted());
    });
    EXPECT_TRUE(first.eq(2).all().item<bool>());
    EXPECT_TRUE(second.eq(2).all().item<bool>());
  });
}

// Its end may be waited for within the backward that waits for it.
TEST_F(SharedMemoryGloos, ABackwardWithinABackwardDoesNotWait) {
  run_both([](SharedMemoryGloo& gloo) {
    const at::Tensor outer = at::ones({3});
    const at::Tensor inner = at::ones({4});
    in_backward([&] {
      gloo.defer_sums_of_backward();
      const auto before = sum(gloo, outer);
      in_backward([&] { EXPECT_TRUE(sum(gloo, inner)->isCompleted()); });
      EXPECT_TRUE(before->isCompleted());
    });
    EXPECT_TRUE(outer.eq(2).all().item<bool>());
    EXPECT_TRUE(inner.eq(2).all().item<bool>());
  });
}

}  // namespace
}  // namespace ddp::trainer
