#include "trainer/loop/training_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ddp/trainer/invalid_configuration.hpp"
#include "tests/unit/trainer/component.hpp"
#include "tests/unit/trainer/small_training.hpp"
#include "trainer/loop/resume.hpp"

namespace ddp::trainer {
namespace {

TEST(TrainingRun, LearnsAndReports) {
  const TemporaryFolder folder;
  EXPECT_EQ(run(small_config(), folder.path()), Outcome::completed);
  const auto trained = metrics(folder.path(), "train");
  ASSERT_EQ(trained.size(), 2u);
  EXPECT_LT(trained[1].at("loss"), trained[0].at("loss"));
  EXPECT_EQ(trained[1].at("samples"), 50);
  const auto evaluated = metrics(folder.path(), "evaluate");
  ASSERT_EQ(evaluated.size(), 2u);
  EXPECT_EQ(evaluated[1].at("epoch"), 2);
  EXPECT_EQ(evaluated[1].at("samples"), 50);
  EXPECT_GT(evaluated[1].at("samples_per_second"), 0);
}

TEST(TrainingRun, TellsWhatAStepDoes) {
  const TemporaryFolder folder;
  run(small_config(), folder.path());
  for (const auto& record : metrics(folder.path(), "train")) {
    const auto part = [&record](const char* key) { return record.at(key).get<double>(); };
    for (const char* key : {"forward_ms", "backward_ms", "update_ms"}) EXPECT_GT(part(key), 0) << key;
    const double steps_ms = 5 * (part("forward_ms") + part("backward_ms") + part("update_ms"));
    EXPECT_LT(steps_ms, 1000 * part("samples") / part("samples_per_second"));
  }
}

TEST(TrainingRun, GoesOnFromAnyStepAsIfItHadNeverStopped) {
  const TemporaryFolder undisturbed;
  run(small_config(), undisturbed.path());
  for (std::int64_t step = 1; step <= 9; ++step) {
    const TemporaryFolder folder;
    TrainConfig part = small_config();
    part.epochs.reset();
    part.max_steps = step;
    run(part, folder.path());
    EXPECT_EQ(newest(folder.path()).step, static_cast<std::uint64_t>(step));
    run(small_config(), folder.path());
    expect_same_end(newest(folder.path()), newest(undisturbed.path()));
  }
}

TEST(TrainingRun, TheNumberOfWorkersDoesNotMatter) {
  const TemporaryFolder without;
  run(small_config(), without.path());
  for (const std::int64_t workers : {1, 3}) {
    const TemporaryFolder folder;
    TrainConfig config = small_config();
    config.data.workers = workers;
    TrainConfig part = config;
    part.epochs.reset();
    part.max_steps = 7;
    run(part, folder.path());
    run(config, folder.path());
    expect_same_end(newest(folder.path()), newest(without.path()));
  }
}

TEST(TrainingRun, StopsOnRequestAfterACheckpointAndGoesOn) {
  const TemporaryFolder undisturbed;
  TrainConfig config = small_config();
  config.evaluate.every_epochs = 0;  // which a stop would leave out each time
  run(config, undisturbed.path());
  const TemporaryFolder folder;
  for (int stops = 1; run(config, folder.path(), StopRequest::order) == Outcome::stopped; ++stops) {
    ASSERT_EQ(newest(folder.path()).step, static_cast<std::uint64_t>(stops));  // one step a go
  }
  expect_same_end(newest(folder.path()), newest(undisturbed.path()));
}

/// With everything that a step may have besides: a schedule, clipped gradients, a lower precision.
TrainConfig elaborate_config() {
  TrainConfig config = small_config();
  config.schedule = make_component(bundled_schemas().schedules, "cosine",
                                   {{"warmup_steps", std::int64_t{3}}, {"warmup_start_factor", 0.1}});
  config.clip_grad_norm = 0.1;
  config.precision = Precision::bf16;
  config.evaluate.every_epochs = 0;
  return config;
}

TEST(TrainingRun, GoesOnInTheMidstOfASchedule) {
  const TemporaryFolder undisturbed;
  run(elaborate_config(), undisturbed.path());
  const TemporaryFolder folder;
  while (run(elaborate_config(), folder.path(), StopRequest::order) == Outcome::stopped) {
  }
  expect_same_end(newest(folder.path()), newest(undisturbed.path()));
}

TEST(TrainingRun, ReportsTheLearningRateAndTheNormOfTheLastStep) {
  const TemporaryFolder folder;
  TrainConfig config = elaborate_config();
  config.log.every_steps = 1;
  run(config, folder.path());
  const auto trained = metrics(folder.path(), "train");
  ASSERT_EQ(trained.size(), 10u);
  EXPECT_NEAR(trained[0].at("learning_rate"), 0.001, 1e-12);
  EXPECT_NEAR(trained[3].at("learning_rate"), 0.01, 1e-12);
  EXPECT_LT(trained[9].at("learning_rate"), 0.001);
  for (const auto& record : trained) EXPECT_GT(record.at("gradient_norm"), 0.1);
}

TEST(TrainingRun, TellsOfTheFirstStepOfEachAttempt) {
  const TemporaryFolder folder;
  TrainConfig part = small_config();
  part.epochs.reset();
  part.max_steps = 3;
  run(part, folder.path());
  run(small_config(), folder.path());
  const auto first = metrics(folder.path(), "first_step");
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].at("step"), 1);
  EXPECT_EQ(first[1].at("step"), 4) << "it goes on after step 3";
  for (const auto& record : first) EXPECT_GT(record.at("trained_ms"), 0);
}

TEST(TrainingRun, CountsTheTimeOfStepsAndNotOfEvaluations) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.log.every_steps = 1;
  config.checkpoint.every_steps = 5;
  run(config, folder.path());
  const auto trained = metrics(folder.path(), "train");
  for (std::size_t i = 1; i < trained.size(); ++i)
    EXPECT_GT(trained[i].at("trained_ms"), trained[i - 1].at("trained_ms"));
  for (const auto& record : metrics(folder.path(), "checkpoint")) {
    const auto step = record.at("step").get<std::size_t>();
    EXPECT_GE(record.at("trained_ms"), trained[step - 1].at("trained_ms"));
    if (step == trained.size()) continue;
    EXPECT_LT(record.at("trained_ms"), trained[step].at("trained_ms"));
  }
  for (const auto& record : metrics(folder.path(), "evaluate")) EXPECT_FALSE(record.contains("trained_ms"));
}

TEST(TrainingRun, ScalesTheLearningRateWithTheBatch) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.schedule =
      make_component(bundled_schemas().schedules, "constant", {{"reference_batch_size", std::int64_t{5}}});
  config.gradient_accumulation_steps = 2;
  run(config, folder.path());
  EXPECT_NEAR(metrics(folder.path(), "train").at(0).at("learning_rate"), 0.04, 1e-12);  // 20 samples a step
}

TEST(TrainingRun, EpochsOfAScheduleAreThoseOfTheRun) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.epochs = 1;
  config.schedule = make_component(bundled_schemas().schedules, "step",
                                   {{"step_size", std::int64_t{2}}, {"gamma", 0.5}, {"unit", "epochs"}});
  run(config, folder.path());
  config.epochs = 3;
  config.data.batch_size = 25;  // two steps an epoch now, after five
  config.log.every_steps = 1;
  run(config, folder.path());
  std::vector<double> rates;
  for (const auto& record : metrics(folder.path(), "train")) rates.push_back(record.at("learning_rate"));
  EXPECT_EQ(rates, (std::vector{0.01, 0.01, 0.01, 0.005, 0.005}));
}

TEST(TrainingRun, TellsThatTheLearningRateFallsUntilAnotherStep) {
  const TemporaryFolder folder;
  TrainConfig config = elaborate_config();
  config.epochs = 1;
  run(config, folder.path());
  config.epochs = 2;
  config.data.batch_size = 25;
  testing::internal::CaptureStdout();
  run(config, folder.path());
  EXPECT_THAT(
      testing::internal::GetCapturedStdout(),
      testing::HasSubstr("gradient sums, batch size differ; the learning rate now decays until step "));
}

TEST(TrainingRun, RefusesACheckpointOfAnotherModel) {
  const TemporaryFolder folder;
  run(small_config(), folder.path());
  TrainConfig config = small_config();
  config.model.options.at("hidden_dims") = std::vector<std::int64_t>{7};
  const auto refused = [](const std::string& advice) {
    return testing::ThrowsMessage<CheckpointMismatch>(testing::HasSubstr(advice));
  };
  EXPECT_THAT([&] { (void)run(config, folder.path()); }, refused("or set train.checkpoint.resume: never"));
  const TemporaryFolder another;
  const std::string place = folder / "checkpoints" / "LATEST";
  config.checkpoint.path = place;
  EXPECT_THAT([&] { (void)run(config, another.path()); },
              refused("train.checkpoint.path is '" + place + "'"));
  config.checkpoint.path.reset();
  config.checkpoint.resume = Resume::never;
  EXPECT_EQ(run(config, folder.path()), Outcome::completed);
}

TEST(TrainingRun, GoesOnWithAnotherBatchSize) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.epochs.reset();
  config.max_steps = 8;  // three of the five batches of the second epoch
  run(config, folder.path());
  config.max_steps.reset();
  config.epochs = 2;
  config.data.batch_size = 4;  // 13 an epoch
  run(config, folder.path());
  const auto end = newest(folder.path());
  EXPECT_EQ(end.step, 8u + 6u);  // 28 of the 50 samples had been seen in whole batches of 4
  EXPECT_EQ(end.epoch, 2u);
}

TEST(TrainingRun, RefusesLessThanOneBatch) {
  TrainConfig config = small_config();
  config.data.batch_size = 51;
  config.data.drop_last = true;
  EXPECT_THROW(run(config, {}), InvalidConfiguration);
}

}  // namespace
}  // namespace ddp::trainer
