// What needs a process group, in the group of one.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "ddp/trainer/distributed_data_parallel.hpp"
#include "ddp/trainer/process_group.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/loop/agreed_stop.hpp"
#include "trainer/loop/shared_state.hpp"
#include "trainer/loop/totals.hpp"

namespace ddp::trainer {
namespace {

TEST(ProcessGroup, OfOneNeedsNoStore) {
  ProcessGroup group = init_process_group({});
  EXPECT_EQ(group.rank(), 0);
  EXPECT_EQ(group.size(), 1);
  torch::Tensor tensor = at::tensor({1.0, 2.0});
  group.all_reduce(tensor);
  group.broadcast(tensor);
  group.barrier();
  EXPECT_TRUE(same_tensor(tensor, at::tensor({1.0, 2.0})));
  EXPECT_TRUE(same_tensor(group.all_gather(tensor).at(0), tensor));
}

TEST(ProcessGroup, OfSeveralRanksNeedsAnAddress) {
  JobEnvironment job;
  job.world_size = 2;
  job.local_world_size = 2;
  job.tasks_per_node = {2};
  EXPECT_THROW((void)init_process_group(job), std::invalid_argument);
}

TEST(DistributedDataParallel, RefusesAModuleWithoutParameters) {
  ProcessGroup group = init_process_group({});
  auto module = std::make_shared<torch::nn::Module>("empty");
  const auto identity = [](const torch::Tensor& input) { return input; };
  EXPECT_THROW(DistributedDataParallel(module, identity, group), std::invalid_argument);
}

TEST(AgreedStop, SeesARequestWithinAPeriod) {
  ProcessGroup group = init_process_group({});
  std::atomic<std::uint32_t> requested{0};
  AgreedStop stop(group, requested, std::nullopt);
  EXPECT_FALSE(stop.after_step().stop);
  requested = 1;
  int steps = 1;
  while (!stop.after_step().stop) ASSERT_LT(++steps, 10'000);
}

TEST(AgreedStop, ACheckpointIsDueByTheClock) {
  ProcessGroup group = init_process_group({});
  const std::atomic<std::uint32_t> requested{0};
  AgreedStop stop(group, requested, std::chrono::seconds{1});
  const auto seconds_until_due = [&] {
    const auto began = std::chrono::steady_clock::now();
    for (Agreement agreed; !agreed.checkpoint; agreed = stop.after_step()) EXPECT_FALSE(agreed.stop);
    stop.checkpointed();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  EXPECT_GE(seconds_until_due(), 0.9);
  EXPECT_GE(seconds_until_due(), 0.9);
}

TEST(Totals, CountSamplesNotBatches) {
  BatchTotals totals;
  const auto logits = at::tensor({5.0, 0.0, 0.0, 5.0}).view({2, 2});
  totals.add(at::tensor(1.0), logits, at::tensor({0, 1}, at::kLong));               // two right
  totals.add(at::tensor(4.0), logits.narrow(0, 0, 1), at::tensor({1}, at::kLong));  // one wrong
  ProcessGroup group = init_process_group({});
  const Totals sum = sum_over_ranks(totals.sum(), group);
  EXPECT_DOUBLE_EQ(sum.mean_loss(), 2.0);
  EXPECT_DOUBLE_EQ(sum.accuracy(), 2.0 / 3.0);
  EXPECT_EQ(sum.samples, 3);
}

TEST(Totals, CountTheSameInEveryLayout) {
  at::manual_seed(1);
  const auto logits = at::randint(0, 4, {500, 7}, at::kFloat);  // with ties
  const auto targets = at::randint(0, 7, {500}, at::kLong);
  BatchTotals plain, strided, wide;
  plain.add(at::tensor(1.0), logits, targets);
  strided.add(at::tensor(1.0), logits.t().contiguous().t(), targets);
  wide.add(at::tensor(1.0), logits.to(at::kDouble), targets);
  EXPECT_EQ(plain.sum().correct, logits.argmax(1).eq(targets).sum().item<std::int64_t>());
  EXPECT_EQ(plain.sum().correct, strided.sum().correct);
  EXPECT_EQ(plain.sum().correct, wide.sum().correct);
}

TEST(SharedState, GivesBackWhatRankZeroHas) {
  ProcessGroup group = init_process_group({});
  EXPECT_FALSE(share_state(std::nullopt, group));
  const TrainingState state{.step = 7,
                            .epoch = 2,
                            .position = 3,
                            .seed = 5,
                            .world_size = 1,
                            .config_hash = "abc",
                            .model = {{"w", at::randn({2, 2})}},
                            .optimizer = {},
                            .rng = {at::arange(4, at::kByte)}};
  const auto shared = share_state(state, group);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->step, 7u);
  EXPECT_TRUE(same_tensors(shared->model, state.model));
}

}  // namespace
}  // namespace ddp::trainer
