// What needs a process group, in the group of one.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/serialize.h>

#include <sstream>

#include "ddp/trainer/distributed_data_parallel.hpp"
#include "ddp/trainer/init_process_group.hpp"
#include "ddp/trainer/invalid_configuration.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/distributed/comm_hooks.hpp"
#include "trainer/loop/state/shared_state.hpp"
#include "trainer/loop/step/agreed_stop.hpp"
#include "trainer/loop/step/totals.hpp"

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
  EXPECT_THROW(DistributedDataParallel(module, identity, group), InvalidConfiguration);
}

/// What changes the parameters of a model that is wrapped.
class ChangedAfterwards : public testing::Test {
 protected:
  ChangedAfterwards() { step(); }
  void step() { model_.forward(at::ones({1, 3})).sum().backward(); }
  void expect_refused() {
    EXPECT_THAT(
        [this] { step(); },
        testing::ThrowsMessage<InvalidConfiguration>(
            "DistributedDataParallel: the parameter 'weight' was replaced after the model was wrapped, so "
            "its gradient would not be averaged over the ranks; load before DistributedDataParallel"));
    const torch::NoGradGuard no_gradients;
    EXPECT_NO_THROW((void)model_.forward(at::ones({1, 3})));
  }

  ProcessGroup group_ = init_process_group({});
  std::shared_ptr<torch::nn::LinearImpl> net_ = std::make_shared<torch::nn::LinearImpl>(3, 2);
  DistributedDataParallel model_{net_, group_};
};

TEST_F(ChangedAfterwards, RefusesParametersThatALoadHasReplaced) {
  std::stringstream file;
  torch::save(net_, file);
  torch::load(net_, file);
  expect_refused();
}

TEST_F(ChangedAfterwards, RefusesThoseOfAnotherType) {
  net_->to(at::kDouble);
  net_->to(at::kFloat);
  expect_refused();
}

TEST_F(ChangedAfterwards, GoesOnWithThoseThatWereCopiedInto) {
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : net_->parameters()) {
    parameter.copy_(at::ones_like(parameter));
    parameter.mutable_grad().reset();
  }
  const torch::AutoGradMode with_gradients(true);
  step();
  EXPECT_TRUE(same_tensor(net_->weight.grad(), at::ones({2, 3})));
}

/// Has two layers, and uses the first.
struct HalfUsed : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& input) { return used->forward(input); }
  torch::nn::Linear used = register_module("used", torch::nn::Linear(3, 2));
  torch::nn::Linear unused = register_module("unused", torch::nn::Linear(3, 2));
};

TEST(DistributedDataParallel, NamesParametersThatGetNoGradient) {
  ProcessGroup group = init_process_group({});
  DistributedDataParallel model(std::make_shared<HalfUsed>(), group);
  const auto step = [&model] { model.forward(at::ones({1, 3})).sum().backward(); };
  step();
  try {
    step();
    ADD_FAILURE() << "it went on";
  } catch (const InvalidConfiguration& error) {
    EXPECT_STREQ(
        error.what(),
        "some parameters got no gradient in the previous step: 'unused.weight', 'unused.bias'; if the model "
        "does not use all parameters in each step, set train.ddp.find_unused_parameters: true");
  }
}

TEST(DistributedDataParallel, SaysThatAStaticGraphHasChanged) {
  ProcessGroup group = init_process_group({});
  const auto net = std::make_shared<HalfUsed>();
  bool both = true;
  const auto forward = [&](const torch::Tensor& input) {
    const auto output = net->forward(input);
    return both ? output + net->unused->forward(input) : output;
  };
  DistributedDataParallel model(net, forward, group, {.static_graph = true});
  const auto step = [&model] { model.forward(at::ones({1, 3})).sum().backward(); };
  for (int i = 0; i < 2; ++i) step();
  both = false;
  step();
  EXPECT_THAT(step,
              testing::ThrowsMessage<InvalidConfiguration>(testing::HasSubstr("train.ddp.static_graph")));
}

TEST(CommHook, IsRefusedWhereTheBackendCannotAddUpItsType) {
  ProcessGroup group = init_process_group({});
  try {
    require_sum_of(at::kShort, at::kCPU, group);
    ADD_FAILURE() << "Gloo has added up int16";
  } catch (const InvalidConfiguration& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("cannot add up tensors of Short on cpu"));
  }
  for (const CommHook hook : {CommHook::none, CommHook::fp16, CommHook::bf16})
    EXPECT_NO_THROW(require_comm_hook(hook, at::kCPU, group));
}

TEST(DistributedDataParallel, TellsWhereTheTimeGoes) {
  ProcessGroup group = init_process_group({});
  DistributedDataParallel model(std::make_shared<torch::nn::LinearImpl>(64, 32), group);
  EXPECT_FALSE(model.average_times());
  for (int step = 0; step < 3; ++step) model.forward(at::randn({16, 64})).sum().backward();
  const auto times = model.average_times();
  ASSERT_TRUE(times);
  EXPECT_GT(times->forward_compute.count(), 0);
  EXPECT_GT(times->backward_compute.count(), 0);
  EXPECT_GT(times->communication.count(), 0);
  EXPECT_GE(times->exposed_communication().count(), 0);
  EXPECT_LE(times->exposed_communication(), times->communication);
}

TEST(AgreedStop, SeesARequestWithinAPeriod) {
  ProcessGroup group = init_process_group({});
  bool requested = false;
  AgreedStop stop(
      group, [&requested] { return requested; }, std::nullopt);
  EXPECT_FALSE(stop.after_step().stop);
  requested = true;
  int steps = 1;
  while (!stop.after_step().stop) ASSERT_LT(++steps, 10'000);
}

TEST(AgreedStop, ACheckpointIsDueByTheClock) {
  ProcessGroup group = init_process_group({});
  AgreedStop stop(
      group, [] { return false; }, std::chrono::seconds{1});
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

TEST(SharedWindow, HoldsWhatTheOneRankTells) {
  ProcessGroup group = init_process_group({});
  const SharedWindow window = share_window({3.0, 2, 6}, {0.25, 0.125}, group);
  EXPECT_EQ(window.totals.loss, 3.0);
  EXPECT_EQ(window.totals.correct, 2);
  EXPECT_EQ(window.totals.samples, 6);
  ASSERT_EQ(window.times.size(), 1u);
  EXPECT_EQ(window.times[0].total, 0.25);
  EXPECT_EQ(window.times[0].data_wait, 0.125);
}

TEST(SharedState, GivesBackWhatRankZeroHas) {
  ProcessGroup group = init_process_group({});
  EXPECT_FALSE(share_state(std::nullopt, group));
  const TrainingState state{.step = 7,
                            .epoch = 2,
                            .position = 3,
                            .world_size = 1,
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
