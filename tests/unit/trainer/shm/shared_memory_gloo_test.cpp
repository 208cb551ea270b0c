#include "trainer/shm/shared_memory_gloo.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "tests/unit/trainer/shm/rank_threads.hpp"
#include "trainer/shm/backward_sums.hpp"

namespace ddp::trainer {
namespace {

using testing::HasSubstr;
using RankMain = std::function<void(const c10::intrusive_ptr<SharedMemoryGloo>& gloo)>;

/// Ranks in threads, which share memory.
void run_with_memory(int ranks, const RankMain& rank_main) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  auto memory = SharedMemory::create(SharedSlots::bytes_for(ranks));
  const std::string address = memory.address();
  run_ranks(ranks, [&](int rank) {
    const auto gloo = c10::make_intrusive<SharedMemoryGloo>(store, rank, ranks, gloo_options());
    SharedSlots slots(SharedMemory::open(address), rank, ranks, rank);
    gloo->barrier()->wait();
    gloo->share_memory(std::move(slots));
    rank_main(gloo);
    gloo->barrier()->wait();
  });
}

void run_both(const RankMain& rank_main) {
  run_with_memory(2, rank_main);
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
    const at::Tensor bytes = at::full({2}, 3, at::kByte);
    sum(*gloo, bytes)->wait();
    EXPECT_TRUE(is_all(bytes, 6));
    at::Tensor input = at::full({4}, 3, at::kByte);
    at::Tensor output = at::zeros({2}, at::kByte);
    gloo->_reduce_scatter_base(output, input, {})->wait();
    EXPECT_TRUE(is_all(output, 6));
  });
}

TEST(SharedMemoryGloo, HasAnAverageWhenTheCallReturns) {
  run_both([](const auto& gloo) {
    std::vector<at::Tensor> tensors = {at::full({3}, gloo->getRank(), at::kFloat)};
    EXPECT_TRUE(gloo->allreduce(tensors, {.reduceOp = c10d::ReduceOp::AVG})->isCompleted());
    EXPECT_TRUE(tensors.front().eq(0.5).all().template item<bool>());
  });
}

TEST(SharedMemoryGloo, HasAnAllGatherWhenTheCallReturns) {
  run_both([](const auto& gloo) {
    at::Tensor output = at::zeros({6});
    at::Tensor input = output.narrow(0, 3L * gloo->getRank(), 3).fill_(gloo->getRank() + 1);
    const auto work = gloo->_allgather_base(output, input, {});
    EXPECT_TRUE(output.equal(at::tensor({1., 1., 1., 2., 2., 2.}, at::kFloat)));
    EXPECT_TRUE(work->isCompleted());
    EXPECT_TRUE(work->getFuture()->value().toTensorVector().front().is_same(output));
  });
}

TEST(SharedMemoryGloo, HasAReduceScatterWhenTheCallReturns) {
  run_both([](const auto& gloo) {
    at::Tensor input = at::arange(6, at::kFloat);
    at::Tensor output = at::zeros({3});
    const auto work = gloo->_reduce_scatter_base(output, input, {.reduceOp = c10d::ReduceOp::AVG});
    EXPECT_TRUE(output.equal(input.narrow(0, 3L * gloo->getRank(), 3)));
    EXPECT_TRUE(work->isCompleted());
    EXPECT_TRUE(work->getFuture()->value().toTensorVector().front().is_same(output));
  });
}

// As with Gloo, which reads before it writes.
TEST(SharedMemoryGloo, OutputsMayOverlapInputs) {
  run_with_memory(3, [](const auto& gloo) {
    const std::int64_t next = (gloo->getRank() + 1) % 3;
    at::Tensor all = at::zeros({6});
    at::Tensor misplaced = all.narrow(0, 2 * next, 2).fill_(gloo->getRank());
    gloo->_allgather_base(all, misplaced, {})->wait();
    EXPECT_TRUE(all.equal(at::tensor({0., 0., 1., 1., 2., 2.}, at::kFloat)));
    gloo->_reduce_scatter_base(misplaced, all, {})->wait();
    EXPECT_TRUE(is_all(misplaced, 3 * gloo->getRank()));
  });
}

TEST(SharedMemoryGloo, ATensorOfTheWrongSizeIsRefusedAsByGloo) {
  run_both([](const auto& gloo) {
    at::Tensor whole = at::zeros({5});
    at::Tensor part = at::zeros({3});
    EXPECT_THROW((void)gloo->_allgather_base(whole, part, {})->wait(), c10::Error);
  });
}

TEST(SharedMemoryGloo, ARankThatCallsAnotherCollectiveIsNamed) {
  run_both([](const auto& gloo) {
    at::Tensor whole = at::zeros({6});
    at::Tensor part = at::zeros({3});
    try {
      if (gloo->getRank() == 0) gloo->_allgather_base(whole, part, {});
      if (gloo->getRank() == 1) gloo->_reduce_scatter_base(part, whole, {});
      ADD_FAILURE() << "rank " << gloo->getRank() << " has not noticed";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 0 has 3 elements of Float in an all-gather"));
      EXPECT_THAT(error.what(), HasSubstr("rank 1 has 6 elements of Float in a reduce-scatter"));
    }
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
  for (const auto type : {at::kFloat, at::kByte}) {
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
