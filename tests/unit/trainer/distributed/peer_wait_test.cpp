#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include <barrier>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "ddp/trainer/distributed_data_parallel.hpp"
#include "tests/unit/trainer/shm/rank_threads.hpp"
#include "tests/unit/trainer/shm/shared_places.hpp"
#include "tests/unit/trainer/shown_page.hpp"
#include "trainer/shm/shared_sum.hpp"

// A rank says on its page that it waits for others. Here two ranks in threads have one page.
namespace ddp::trainer {
namespace {

/// False after a time that only a broken program needs.
bool sees_a_wait(const ProgressPage& page) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (page.waits_for_peers == 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return page.waits_for_peers > 0;
}

ProcessGroup make_group(const c10::intrusive_ptr<c10d::Store>& store, int rank) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, rank, 2);
  constexpr auto kGloo = c10d::ProcessGroup::BackendType::GLOO;
  group->setBackend(c10::DeviceType::CPU, kGloo,
                    c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, 2, gloo_options()));
  group->setDefaultBackend(kGloo);
  return ProcessGroup(std::move(group));
}

/// Two ranks meet after `prepare`; then rank 1 does `collective` when it has seen that rank 0 waits in it.
template <class Prepare>
void expect_that_rank_0_waits(Prepare prepare) {
  ProgressPage& page = shown_page();
  const auto store = c10::make_intrusive<c10d::HashStore>();
  std::barrier meet(2);
  run_ranks(2, [&](int rank) {
    ProcessGroup group = make_group(store, rank);
    const auto collective = prepare(group);
    meet.arrive_and_wait();
    EXPECT_TRUE(rank == 0 || sees_a_wait(page));
    collective();
    meet.arrive_and_wait();
    EXPECT_EQ(page.waits_for_peers, 0U);
    meet.arrive_and_wait();
  });
}

TEST(PeerWait, IsInACollective) {
  expect_that_rank_0_waits([](ProcessGroup& group) { return [&group] { group.barrier(); }; });
}

TEST(PeerWait, IsInABackwardWhoseOwnWorkIsDone) {
  expect_that_rank_0_waits([](ProcessGroup& group) {
    auto model =
        std::make_shared<DistributedDataParallel>(std::make_shared<torch::nn::LinearImpl>(2, 1), group);
    const torch::Tensor loss = model->forward(at::ones({1, 2})).sum();
    return [model, loss] { loss.backward(); };
  });
}

TEST(PeerWait, IsInASumInMemory) {
  ProgressPage& page = shown_page();
  auto memory = places(2);
  run_ranks(2, [&](int rank) {
    EXPECT_TRUE(rank == 0 || sees_a_wait(page));
    SharedSum(memory[static_cast<std::size_t>(rank)]).add_up(at::ones({3}));
  });
  EXPECT_EQ(page.waits_for_peers, 0U);
}

}  // namespace
}  // namespace ddp::trainer
