#include "trainer/shm/shared_memory_gloo.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/unit/trainer/shm/rank_threads.hpp"
#include "trainer/shm/backward_sums.hpp"

namespace ddp::trainer {
namespace {

/// Two ranks in two threads, which share memory.
void run_both(const std::function<void(const c10::intrusive_ptr<SharedMemoryGloo>& gloo)>& rank_main) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  auto memory = SharedMemory::create(SharedSum::bytes_for(2));
  const std::string address = memory.address();
  run_ranks(2, [&](int rank) {
    const auto gloo = c10::make_intrusive<SharedMemoryGloo>(store, rank, 2, gloo_options());
    SharedSum sum(SharedMemory::open(address), rank, 2);
    gloo->barrier()->wait();
    gloo->add_up_in(std::move(sum));
    rank_main(gloo);
    gloo->barrier()->wait();
  });
}

c10::intrusive_ptr<c10d::Work> sum(c10d::Backend& backend, const at::Tensor& tensor) {
  std::vector<at::Tensor> tensors = {tensor};
  return backend.allreduce(tensors, {});
}

bool is_all(const at::Tensor& tensor, int value) {
  return tensor.eq(value).all().item<bool>();
}

TEST(SharedMemoryGloo, HasASumWhenTheCallReturns) {
  run_both([](const auto& gloo) {
    const at::Tensor tensor = at::ones({3});
    const auto work = sum(*gloo, tensor);
    EXPECT_TRUE(is_all(tensor, 2));
    EXPECT_TRUE(work->isCompleted());
    EXPECT_TRUE(work->wait());
    EXPECT_TRUE(work->getFuture()->completed());
    EXPECT_TRUE(work->getFuture()->value().toTensorVector().front().is_same(tensor));
  });
}

TEST(SharedMemoryGloo, WhatItDoesNotTakeGoesOverGloo) {
  run_both([](const auto& gloo) {
    std::vector<at::Tensor> largest = {at::full({1}, gloo->getRank(), at::kLong)};
    gloo->allreduce(largest, {.reduceOp = c10d::ReduceOp::MAX})->wait();
    EXPECT_TRUE(is_all(largest.front(), 1));
    const at::Tensor halves = at::full({2}, 0.5, at::kBFloat16);
    sum(*gloo, halves)->wait();
    EXPECT_TRUE(is_all(halves, 1));
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

TEST(BackwardSums, WaitForTheEnd) {
  run_both([](const auto& gloo) {
    BackwardSums sums(gloo);
    const at::Tensor first = at::ones({3});
    const at::Tensor second = at::ones({4});
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
    in_backward([&] {
      sums.begin();
      works = {sum(sums, first), sum(sums, second)};
    });
    EXPECT_FALSE(works[0]->isCompleted());
    EXPECT_TRUE(is_all(first, 1));
    EXPECT_FALSE(sums.mean_times());
    sums.end();
    for (const auto& work : works) EXPECT_TRUE(work->getFuture()->completed());
    EXPECT_TRUE(is_all(first, 2));
    EXPECT_TRUE(is_all(second, 2));
    EXPECT_GT(sums.mean_times().value().sums.count(), 0);
    EXPECT_GT(sums.mean_times().value().backward.count(), 0);
  });
}

TEST(BackwardSums, OutsideOfABackwardAreDoneAtOnce) {
  run_both([](const auto& gloo) {
    BackwardSums sums(gloo);
    const at::Tensor tensor = at::ones({3});
    EXPECT_TRUE(sum(sums, tensor)->isCompleted());
    EXPECT_TRUE(is_all(tensor, 2));
    EXPECT_FALSE(sums.mean_times());
  });
}

TEST(BackwardSums, DoNotHoldUpThoseOfTheGroup) {
  run_both([](const auto& gloo) {
    BackwardSums sums(gloo);
    const at::Tensor waits = at::ones({3});
    const at::Tensor at_once = at::ones({4});
    in_backward([&] {
      sums.begin();
      sum(sums, waits);
      EXPECT_TRUE(sum(*gloo, at_once)->isCompleted());
    });
    sums.end();
    EXPECT_TRUE(is_all(waits, 2));
    EXPECT_TRUE(is_all(at_once, 2));
  });
}

// Its end may wait for all of them: those that wait are done first, whatever it asks for.
TEST(BackwardSums, OfABackwardWithinAreDoneAtOnce) {
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    run_both([type](const auto& gloo) {
      BackwardSums sums(gloo);
      const at::Tensor outer = at::ones({3});
      const at::Tensor inner = at::ones({4}, type);
      in_backward([&] {
        sums.begin();
        const auto before = sum(sums, outer);
        in_backward([&] { sum(sums, inner)->wait(); });
        EXPECT_TRUE(before->isCompleted());
      });
      EXPECT_TRUE(is_all(outer, 2));
      EXPECT_TRUE(is_all(inner, 2));
    });
  }
}

}  // namespace
}  // namespace ddp::trainer
