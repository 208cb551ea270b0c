#include "cli/rehearsal/rehearsal_spec.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

RunSpec make_job() {
  RunSpec job;
  job.name = "resnet";
  job.launcher = find_launcher("slurm");
  job.resources.nodes = 4;
  job.resources.tasks_per_node = 8;
  job.resources.gpus_per_node = 8;
  job.resources.time = std::chrono::hours(2);
  options_of<SlurmOptions>(job).partition = "gpu";
  job.rendezvous.interface = "ib0";
  job.rendezvous.backend = "nccl";
  job.fault_tolerance.requeue = true;
  job.notify.command = {"./notify.sh"};
  job.train.emplace();
  job.train->epochs = 90;
  job.train->data.batch_size = 32;
  job.train->data.global_batch_size = 1024;
  job.train->checkpoint.every_epochs = 1;
  job.train->checkpoint.keep_best = trainer::KeepBest::accuracy;
  job.train->checkpoint.path = "/earlier";
  return job;
}

MachineResources with_gpus(int count) {
  MachineResources machine;
  machine.gpus = count;
  return machine;
}

TEST(RehearsalSpec, IsTheJobOnThisMachineWithTheBatchesOfARank) {
  const auto small = make_small_spec(make_job(), 2, with_gpus(8));
  EXPECT_EQ(small.launcher, find_launcher("local"));
  EXPECT_EQ(small.world_size(), 2);
  EXPECT_EQ(small.resources.gpus_per_node, 2);
  EXPECT_EQ(small.train->data.batch_size, 32);
  EXPECT_FALSE(small.train->data.global_batch_size);
  EXPECT_FALSE(small.resources.time);
  EXPECT_EQ(small.rendezvous.interface, "auto");
  EXPECT_FALSE(small.fault_tolerance.requeue);
  EXPECT_TRUE(small.notify.command.empty());
  EXPECT_FALSE(small.train->checkpoint.path);
  EXPECT_EQ(small.train->evaluate.every_epochs, 0);
  EXPECT_EQ(small.train->device, trainer::Device::automatic);
}

TEST(RehearsalSpec, TrainsOnTheCpuWhereGpusAreFewer) {
  auto job = make_job();
  auto small = make_small_spec(job, 2, with_gpus(1));
  EXPECT_EQ(small.resources.gpus_per_node, 0);
  EXPECT_EQ(small.train->device, trainer::Device::cpu);
  EXPECT_EQ(small.rendezvous.backend, "auto");
  job.train->device = trainer::Device::cuda;  // the preflight says that there is none
  EXPECT_EQ(make_small_spec(job, 2, with_gpus(0)).train->device, trainer::Device::cuda);
}

TEST(RehearsalSpec, HasItsOwnStepsAndCheckpoints) {
  const auto spec = make_rehearsal_spec(make_small_spec(make_job(), 2, {}), 400);
  EXPECT_EQ(spec.train->max_steps, 400);
  EXPECT_FALSE(spec.train->epochs);
  EXPECT_EQ(spec.train->checkpoint.every_steps, 40);
  EXPECT_FALSE(spec.train->checkpoint.every_epochs);
  EXPECT_EQ(spec.train->checkpoint.keep_best, trainer::KeepBest::none);
  EXPECT_EQ(spec.train->log.every_steps, 4);
}

TEST(RehearsalSpec, ShortensAWarmUpThatWouldNotEnd) {
  auto small = make_small_spec(make_job(), 2, {});
  small.train->schedule.emplace();
  small.train->schedule->options["warmup_steps"] = std::int64_t{500};
  EXPECT_EQ(make_rehearsal_spec(small, 400).train->schedule->get<std::int64_t>("warmup_steps"), 200);
  EXPECT_EQ(make_rehearsal_spec(small, 4000).train->schedule->get<std::int64_t>("warmup_steps"), 500);
}

TEST(RehearsalSpec, RestartsEvenIfTheJobWouldNot) {
  auto job = make_job();
  job.fault_tolerance.max_restarts = 0;
  EXPECT_EQ(make_rehearsal_spec(make_small_spec(job, 2, {}), 40).max_restarts(), 1);
  job.fault_tolerance.max_restarts = 7;
  EXPECT_EQ(make_rehearsal_spec(make_small_spec(job, 2, {}), 40).max_restarts(), 7);
}

TEST(RehearsalSpec, ThePaceIsThatOfOneEpoch) {
  const auto pace = make_pace_spec(make_small_spec(make_job(), 2, {}));
  EXPECT_EQ(pace.train->epochs, 1);
  EXPECT_EQ(pace.name, "resnet-pace");
  EXPECT_FALSE(pace.train->checkpoint.every_epochs);
}

TEST(RehearsalSpec, FewerRanksAreWholeGroupsOfShards) {
  auto job = make_job();
  const auto shard_of = [&job](std::int64_t shard, int ranks) {
    job.train->strategy.options["shard"] = shard;
    return make_small_spec(job, ranks, {}).train->strategy.get<std::int64_t>("shard");
  };
  job.train->strategy = trainer::with_defaults(trainer::bundled_schemas().strategies, "hsdp");
  EXPECT_EQ(shard_of(8, 2), 0);
  EXPECT_EQ(shard_of(2, 4), 2);
  EXPECT_EQ(shard_of(0, 2), 0);
}

TEST(RehearsalSpec, OnlyATrainingThatGoesOnCanBeRehearsed) {
  auto job = make_job();
  EXPECT_FALSE(find_unrehearsable(job, std::nullopt));
  job.train->checkpoint.resume = trainer::Resume::never;
  EXPECT_EQ(find_unrehearsable(job, std::nullopt)->code, ExitCode::config_invalid);
  job = make_job();
  job.train->mode = trainer::Mode::evaluate;
  EXPECT_TRUE(find_unrehearsable(job, std::nullopt));
  job = make_job();
  job.train->strategy = trainer::with_defaults(trainer::bundled_schemas().strategies, "data_parallel");
  EXPECT_EQ(find_unrehearsable(job, 2)->code, ExitCode::usage);
  EXPECT_FALSE(find_unrehearsable(job, std::nullopt));
}

RunSpec make_command() {
  RunSpec job = make_job();
  job.train.reset();
  job.command = {"python3", "train.py"};
  return job;
}

TEST(RehearsalSpec, ACommandRunsAsItIsOnThisMachine) {
  const auto job = make_command();
  EXPECT_FALSE(find_unrehearsable(job, 2));
  const auto small = make_rehearsal_spec(make_small_spec(job, 2, with_gpus(8)));
  EXPECT_EQ(small.launcher, find_launcher("local"));
  EXPECT_EQ(small.command, job.command);
  EXPECT_EQ(small.world_size(), 2);
  EXPECT_FALSE(small.resources.time);
  EXPECT_FALSE(small.fault_tolerance.requeue);
  EXPECT_EQ(small.max_restarts(), 1);
}

TEST(RehearsalSpec, ARankOfACommandHasAsManyGpusAsInTheJob) {
  auto job = make_command();
  EXPECT_EQ(make_small_spec(job, 2, with_gpus(8)).resources.gpus_per_node, 2);
  job.resources.tasks_per_node = 2;
  EXPECT_EQ(make_small_spec(job, 2, with_gpus(8)).resources.gpus_per_node, 8);
  EXPECT_EQ(make_small_spec(job, 2, with_gpus(7)).resources.gpus_per_node, 0);
  job.resources.gpus_per_node = 0;
  EXPECT_EQ(make_small_spec(job, 2, with_gpus(8)).resources.gpus_per_node, 0);
}

}  // namespace
}  // namespace ddp::cli
