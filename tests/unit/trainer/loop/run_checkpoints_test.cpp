#include "trainer/loop/run_checkpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/trainer/loaded_checkpoint.hpp"
#include "tests/unit/trainer/small_training.hpp"
#include "trainer/loop/resume.hpp"

namespace ddp::trainer {
namespace {

TEST(RunCheckpoints, ACompletedRunIsNotRepeated) {
  const TemporaryFolder folder;
  run(small_config(), folder.path());
  const auto before = newest(folder.path());
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(small_config(), folder.path()), Outcome::completed);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::HasSubstr("nothing left to train: train.epochs is 2 and epoch 2 is done; to train "
                                 "longer, raise it above 2\n"));
  expect_same_end(newest(folder.path()), before);
  EXPECT_EQ(metrics(folder.path(), "train").size(), 2u);
}

TEST(RunCheckpoints, CheckpointsAsOftenAsAsked) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.checkpoint.every_steps = 3;
  config.checkpoint.keep = 100;
  run(config, folder.path());
  for (const char* name : {"step-00000003-a0", "step-00000006-a0", "step-00000009-a0", "step-00000010-a0"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "checkpoints" / name)) << name;
  }
}

TEST(RunCheckpoints, TheEndOfAnEpochIsWrittenOnce) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.checkpoint.every_steps = 5;
  config.checkpoint.every_epochs = 1;
  config.checkpoint.keep_best = KeepBest::loss;
  run(config, folder.path());
  EXPECT_EQ(metrics(folder.path(), "checkpoint").size(), 2u);
  EXPECT_EQ(newest(folder.path()).epoch, 2u);
  EXPECT_EQ(newest(folder.path()).position, 0u);
}

TEST(RunCheckpoints, AStopAtTheEndOfAnEpochLeavesItsEvaluationToTheNextAttempt) {
  const TemporaryFolder undisturbed;
  TrainConfig config = small_config();
  config.epochs = 4;
  config.data.batch_size = 50;  // a step an epoch
  config.checkpoint.every_epochs = 1;
  run(config, undisturbed.path());
  const TemporaryFolder folder;
  EXPECT_EQ(run(config, folder.path(), StopRequest::order), Outcome::stopped);
  EXPECT_EQ(newest(folder.path()).position, 1u);
  EXPECT_TRUE(metrics(folder.path(), "evaluate").empty());
  run(config, folder.path());
  EXPECT_EQ(metrics(folder.path(), "evaluate").size(), 4u);
  expect_same_end(newest(folder.path()), newest(undisturbed.path()));
}

TEST(RunCheckpoints, AStopWithinAnEvaluationLeavesItToTheNextAttempt) {
  TrainConfig config = small_config();
  config.epochs = 1;
  config.data.batch_size = 30;  // a step an epoch, and two batches to evaluate
  config.data.drop_last = true;
  const TemporaryFolder undisturbed;
  run(config, undisturbed.path());
  for (const auto request : {StopRequest::order, StopRequest::before_time_limit}) {
    const TemporaryFolder folder;
    EXPECT_EQ(run(config, folder.path(), request), Outcome::stopped);
    EXPECT_EQ(newest(folder.path()).position, 1u);
    EXPECT_TRUE(metrics(folder.path(), "evaluate").empty());
    EXPECT_EQ(run(config, folder.path()), Outcome::completed);
    EXPECT_EQ(metrics(folder.path(), "evaluate").size(), 1u);
    expect_same_end(newest(folder.path()), newest(undisturbed.path()));
  }
}

TEST(RunCheckpoints, TakesACheckpointFromBeforeTheNextEpochAsOneFromItsBeginning) {
  const TemporaryFolder undisturbed;
  TrainConfig config = small_config();
  config.evaluate.every_epochs = 0;
  run(config, undisturbed.path());
  const TemporaryFolder folder;
  TrainConfig part = config;
  part.epochs = 1;
  run(part, folder.path());
  TrainingState state = newest(folder.path());
  EXPECT_EQ(state.epoch, 1u);
  state.epoch = 0;
  state.position = 5;
  CheckpointStore(folder / "checkpoints", 0, [] { return 0; }).save(state, 1);
  run(config, folder.path());
  expect_same_end(newest(folder.path()), newest(undisturbed.path()));
}

TEST(RunCheckpoints, PassesOverACheckpointWhoseGeneratorIsNone) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.epochs = 1;
  run(config, folder.path());
  TrainingState state = newest(folder.path());
  state.step = 7;
  state.rng[0] = at::full_like(state.rng[0], 255);
  CheckpointStore(folder / "checkpoints", 0, [] { return 0; }).save(state, 5);
  testing::internal::CaptureStdout();
  run(small_config(), folder.path());
  EXPECT_THAT(
      testing::internal::GetCapturedStdout(),
      testing::AllOf(testing::HasSubstr("step-00000007-a0 cannot be used: its rng.safetensors contains"),
                     testing::HasSubstr("resumed from step 5\n")));
}

TEST(RunCheckpoints, EvaluatesACheckpoint) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.mode = Mode::evaluate;
  EXPECT_THROW(run(config, folder.path()), NoValidCheckpoint);
  run(small_config(), folder.path());
  const auto trained = metrics(folder.path(), "evaluate");
  EXPECT_EQ(run(config, folder.path(), StopRequest::order), Outcome::stopped);
  EXPECT_EQ(metrics(folder.path(), "evaluate").size(), trained.size());
  EXPECT_EQ(run(config, folder.path(), StopRequest::before_time_limit), Outcome::completed);
  EXPECT_EQ(metrics(folder.path(), "evaluate").size(), trained.size() + 1);
  run(config, folder.path());
  const auto evaluated = metrics(folder.path(), "evaluate");
  ASSERT_EQ(evaluated.size(), trained.size() + 2);
  EXPECT_EQ(evaluated.back().at("loss"), trained.back().at("loss"));
}

TEST(RunCheckpoints, TellsWhatACheckpointHasCost) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.checkpoint.every_steps = 4;
  run(config, folder.path());
  const auto records = metrics(folder.path(), "checkpoint");
  ASSERT_EQ(records.size(), 3u);  // after steps 4, 8 and 10
  EXPECT_EQ(records[0].at("step"), 4);
  EXPECT_EQ(records[2].at("step"), 10);
  for (const auto& record : records) {
    EXPECT_EQ(record.at("bytes"), size_of(newest(folder.path())));
    EXPECT_GT(record.at("stall_ms"), 0.0);
    EXPECT_GT(record.at("write_ms"), 0.0);
  }
  // Nothing is trained beside the last one: the run waits for all of it.
  EXPECT_GE(records[2].at("stall_ms"), records[2].at("write_ms"));
}

TEST(RunCheckpoints, KeepsTheCheckpointOfTheBestEvaluation) {
  for (const bool by_loss : {false, true}) {
    const TemporaryFolder folder;
    TrainConfig config = small_config();
    config.epochs = 6;
    config.optimizer.options.at("learning_rate") = 0.5;  // too large to get better each time
    config.checkpoint.keep = 1;
    config.checkpoint.keep_best = by_loss ? KeepBest::loss : KeepBest::accuracy;
    run(config, folder.path());
    const auto evaluated = metrics(folder.path(), "evaluate");
    ASSERT_EQ(evaluated.size(), 6u);
    const char* const key = by_loss ? "loss" : "accuracy";
    const auto best = by_loss
                          ? std::ranges::min_element(
                                evaluated, {}, [&](const auto& r) { return r[key].template get<double>(); })
                          : std::ranges::max_element(
                                evaluated, {}, [&](const auto& r) { return r[key].template get<double>(); });
    EXPECT_EQ(load_checkpoint(folder / "checkpoints" / "BEST").step, best->at("step"));
    EXPECT_EQ(newest(folder.path()).best, (BestScore{key, best->at(key)}));
    EXPECT_EQ(newest(folder.path()).step, 30u);

    // What it stands for is what an evaluation of it gives.
    config.mode = Mode::evaluate;
    config.checkpoint.path = folder / "checkpoints" / "BEST";
    run(config, folder.path());
    EXPECT_EQ(metrics(folder.path(), "evaluate").back().at(key), best->at(key));
  }
}

TEST(RunCheckpoints, TheBestIsRememberedWhenItGoesOn) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.checkpoint.keep_best = KeepBest::loss;
  run(config, folder.path());
  const auto place = folder / "checkpoints";
  const auto name = [&](const char* file) { return load_checkpoint(place / file).step; };
  ASSERT_EQ(name("BEST"), 10u);
  config.epochs = 3;
  config.optimizer.options.at("learning_rate") = 1e3;  // ruins it
  run(config, folder.path());
  EXPECT_EQ(name("LATEST"), 15u);
  EXPECT_EQ(name("BEST"), 10u);
}

TEST(RunCheckpoints, AnEvaluationOutOfTurnPinsTheLastCheckpoint) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.epochs.reset();
  config.max_steps = 7;
  config.evaluate.every_epochs = 5;
  config.checkpoint.keep_best = KeepBest::accuracy;
  run(config, folder.path());
  EXPECT_EQ(load_checkpoint(folder / "checkpoints" / "BEST").step, 7u);
}

TEST(RunCheckpoints, BeginsWithACheckpointOfAnotherRun) {
  const TemporaryFolder whole;
  run(small_config(), whole.path());
  const TemporaryFolder first;
  TrainConfig part = small_config();
  part.epochs.reset();
  part.max_steps = 7;
  run(part, first.path());
  const TemporaryFolder second;
  TrainConfig config = small_config();
  config.checkpoint.path = first / "checkpoints" / "LATEST";
  EXPECT_EQ(run(config, second.path(), StopRequest::order), Outcome::stopped);
  EXPECT_EQ(newest(second.path()).step, 8u);
  run(config, second.path());  // goes on from its own
  expect_same_end(newest(second.path()), newest(whole.path()));
  EXPECT_EQ(newest(first.path()).step, 7u);
}

TEST(RunCheckpoints, ACheckpointThatAlreadyEndsItIsTakenOver) {
  const TemporaryFolder first;
  run(small_config(), first.path());
  const TemporaryFolder second;
  TrainConfig config = small_config();
  config.checkpoint.path = first / "checkpoints" / "LATEST";
  EXPECT_EQ(run(config, second.path()), Outcome::completed);
  expect_same_end(newest(second.path()), newest(first.path()));
}

TEST(RunCheckpoints, ARunStandsForTheNewest) {
  const TemporaryFolder first;
  run(small_config(), first.path());
  EXPECT_EQ(load_checkpoint(first.path()).step, newest(first.path()).step);
}

TEST(RunCheckpoints, ACheckpointByItsPlaceMustBeWhole) {
  const TemporaryFolder first;
  run(small_config(), first.path());
  std::filesystem::resize_file(first / "checkpoints" / "step-00000010-a0" / "rng.safetensors", 20);
  for (const char* place : {"checkpoints/LATEST", "checkpoints", "", "nowhere"}) {
    const TemporaryFolder second;
    TrainConfig config = small_config();
    config.checkpoint.path = first / place;
    EXPECT_THROW(run(config, second.path()), NoValidCheckpoint) << place;
    config.mode = Mode::evaluate;
    EXPECT_THROW(run(config, second.path()), NoValidCheckpoint) << place;
  }
}

TrainConfig sharded_config() {
  TrainConfig config = small_config();
  config.strategy = {"fsdp",
                     {{"reshard_after_forward", true},
                      {"param_dtype", std::string("fp32")},
                      {"reduce_dtype", std::string("fp32")},
                      {"prefetch", true}}};
  return config;
}

TrainConfig until_step(TrainConfig config, std::int64_t steps) {
  config.epochs.reset();
  config.max_steps = steps;
  return config;
}

TEST(RunCheckpoints, AShardedTrainingWritesShardsAndGoesOnFromThem) {
  const TemporaryFolder whole;
  run(sharded_config(), whole.path());
  const auto place = whole / "checkpoints" / "step-00000010-a0";
  EXPECT_TRUE(std::filesystem::exists(place / "shard-00001-model-00001-of-00001.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(place / "shard-00001-optimizer-00001-of-00001.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(place / "model.safetensors"));
  const TemporaryFolder parts;
  TrainConfig config = sharded_config();
  config.checkpoint.every_steps = 3;
  config.checkpoint.keep_best = KeepBest::loss;
  run(until_step(config, 7), parts.path());
  EXPECT_EQ(newest(parts.path()).step, 7u);
  run(config, parts.path());
  expect_same_end(newest(parts.path()), newest(whole.path()));
  EXPECT_EQ(metrics(parts.path(), "checkpoint").back().at("bytes"), size_of(newest(parts.path())));
  EXPECT_EQ(load_checkpoint(parts / "checkpoints" / "BEST").step, 10u);
}

TEST(RunCheckpoints, ShardedOrNotItGoesOnFromEitherForm) {
  const TemporaryFolder whole;
  run(small_config(), whole.path());
  for (const bool sharded_first : {false, true}) {
    const TrainConfig first = sharded_first ? sharded_config() : small_config();
    const TrainConfig second = sharded_first ? small_config() : sharded_config();
    const TemporaryFolder folder;
    run(until_step(first, 7), folder.path());
    run(second, folder.path());
    expect_same_end(newest(folder.path()), newest(whole.path()));
    const TemporaryFolder other;
    TrainConfig elsewhere = second;
    elsewhere.checkpoint.path = folder / "checkpoints" / "step-00000007-a0";
    run(elsewhere, other.path());
    expect_same_end(newest(other.path()), newest(whole.path()));
  }
}

TEST(RunCheckpoints, AShardedTrainingPassesOverADamagedCheckpoint) {
  const TemporaryFolder folder;
  TrainConfig config = sharded_config();
  config.checkpoint.every_steps = 4;
  run(config, folder.path());
  const auto end = newest(folder.path());
  const auto shard =
      folder / "checkpoints" / "step-00000010-a0" / "shard-00001-optimizer-00001-of-00001.safetensors";
  std::filesystem::resize_file(shard, 20);
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(config, folder.path()), Outcome::completed);
  const std::string told = testing::internal::GetCapturedStdout();
  EXPECT_THAT(told, testing::HasSubstr("step-00000010-a0 cannot be used: "));
  EXPECT_THAT(told, testing::HasSubstr("resumed from step 8\n"));
  expect_same_end(newest(folder.path()), end);
  for (const char* step : {"step-00000004-a0", "step-00000008-a0", "step-00000010-a0"})
    std::filesystem::remove(folder / "checkpoints" / step / "manifest.json");
  EXPECT_THROW(run(config, folder.path()), NoValidCheckpoint);
  config.checkpoint.path = folder / "nowhere";
  config.checkpoint.resume = Resume::never;
  EXPECT_THROW(run(config, folder.path()), NoValidCheckpoint);
}

TEST(RunCheckpoints, EvaluatesAShardedCheckpoint) {
  const TemporaryFolder folder;
  run(sharded_config(), folder.path());
  const auto trained = metrics(folder.path(), "evaluate");
  for (TrainConfig config : {sharded_config(), small_config()}) {
    config.mode = Mode::evaluate;
    run(config, folder.path());
    EXPECT_EQ(metrics(folder.path(), "evaluate").back().at("loss"), trained.back().at("loss"));
  }
}

TEST(RunCheckpoints, AShardedTrainingRefusesACheckpointOfAnotherModel) {
  const TemporaryFolder folder;
  run(until_step(sharded_config(), 3), folder.path());
  TrainConfig config = sharded_config();
  config.model.options.at("hidden_dims") = std::vector<std::int64_t>{7};
  EXPECT_THROW(run(config, folder.path()), CheckpointMismatch);
  config = sharded_config();
  config.optimizer = {"sgd",
                      {{"learning_rate", 0.1},
                       {"momentum", 0.0},
                       {"dampening", 0.0},
                       {"weight_decay", 0.0},
                       {"nesterov", false},
                       {"decay", "all"},
                       {"implementation", "auto"}}};
  EXPECT_THROW(run(config, folder.path()), CheckpointMismatch);
}

}  // namespace
}  // namespace ddp::trainer
