#include "trainer/loop/training_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/component.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/loop/non_finite.hpp"
#include "trainer/models/models.hpp"

namespace ddp::trainer {
namespace {

TrainConfig small_config() {
  TrainConfig config;
  config.epochs = 2;
  config.model = {"mlp",
                  {{"input_dim", std::int64_t{8}},
                   {"hidden_dims", std::vector<std::int64_t>{6}},
                   {"num_classes", std::int64_t{3}}}};
  config.data.source = {
      "synthetic",
      {{"samples", std::int64_t{50}}, {"features", std::int64_t{8}}, {"num_classes", std::int64_t{3}}}};
  config.data.batch_size = 10;  // 5 steps an epoch
  config.optimizer = {"adam",
                      {{"learning_rate", 0.01},
                       {"beta1", 0.9},
                       {"beta2", 0.999},
                       {"eps", 1e-8},
                       {"weight_decay", 0.0},
                       {"decay", "all"},
                       {"implementation", "auto"}}};
  config.log.every_steps = 5;
  return config;
}

enum class StopRequest { none, at_once };

Outcome run(const TrainConfig& config, const std::filesystem::path& folder,
            StopRequest request = StopRequest::none) {
  ProgressPage page;
  page.stop_requested = request == StopRequest::at_once ? 1 : 0;
  ProcessGroup group = init_process_group({});
  const Components own;
  TrainingRun training(TrainingJob{config, {}, folder, at::kCPU, page, group, own});
  const Outcome outcome = training.run();
  EXPECT_EQ(page.phase == Phase::done, outcome == Outcome::completed);
  return outcome;
}

TrainingState newest(const std::filesystem::path& folder) {
  return CheckpointStore(folder / "checkpoints", 0, [] { return 0; }).load_newest_valid().value();
}

std::vector<nlohmann::json> metrics(const std::filesystem::path& folder, const std::string& kind) {
  std::vector<nlohmann::json> records;
  std::ifstream file(folder / "metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    auto record = nlohmann::json::parse(line);
    if (record.at("kind") == kind) records.push_back(std::move(record));
  }
  return records;
}

void expect_same_end(const TrainingState& a, const TrainingState& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.position, b.position);
  EXPECT_TRUE(same_tensors(a.model, b.model));
  EXPECT_TRUE(same_tensors(a.optimizer, b.optimizer));
  EXPECT_TRUE(same_tensor(a.rng.at(0), b.rng.at(0)));
}

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
  run(small_config(), undisturbed.path());
  const TemporaryFolder folder;
  for (int stops = 1; run(small_config(), folder.path(), StopRequest::at_once) == Outcome::stopped; ++stops) {
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
  return config;
}

TEST(TrainingRun, GoesOnInTheMidstOfASchedule) {
  const TemporaryFolder undisturbed;
  run(elaborate_config(), undisturbed.path());
  const TemporaryFolder folder;
  while (run(elaborate_config(), folder.path(), StopRequest::at_once) == Outcome::stopped) {
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

TEST(TrainingRun, ScalesTheLearningRateWithTheBatch) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.schedule =
      make_component(bundled_schemas().schedules, "constant", {{"reference_batch_size", std::int64_t{5}}});
  config.gradient_accumulation_steps = 2;
  run(config, folder.path());
  EXPECT_NEAR(metrics(folder.path(), "train").at(0).at("learning_rate"), 0.04, 1e-12);  // 20 samples a step
}

TEST(TrainingRun, RefusesFloat16OnTheCpu) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.precision = Precision::fp16;
  EXPECT_THROW(run(config, folder.path()), std::invalid_argument);
}

TEST(TrainingRun, ACompletedRunIsNotRepeated) {
  const TemporaryFolder folder;
  run(small_config(), folder.path());
  const auto before = newest(folder.path());
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(small_config(), folder.path()), Outcome::completed);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::HasSubstr("nothing left to train: step 10 of 10; to train on, raise train.epochs\n"));
  expect_same_end(newest(folder.path()), before);
  EXPECT_EQ(metrics(folder.path(), "train").size(), 2u);
}

TEST(TrainingRun, CheckpointsAsOftenAsAsked) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.checkpoint.every_steps = 3;
  config.checkpoint.keep = 100;
  run(config, folder.path());
  for (const char* name : {"step-00000003-a0", "step-00000006-a0", "step-00000009-a0", "step-00000010-a0"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "checkpoints" / name)) << name;
  }
}

TEST(TrainingRun, TheEndOfAnEpochIsWrittenOnce) {
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

TEST(TrainingRun, AStopAtTheEndOfAnEpochLeavesItsEvaluationToTheNextAttempt) {
  const TemporaryFolder undisturbed;
  TrainConfig config = small_config();
  config.epochs = 4;
  config.data.batch_size = 50;  // a step an epoch
  config.checkpoint.every_epochs = 1;
  run(config, undisturbed.path());
  const TemporaryFolder folder;
  EXPECT_EQ(run(config, folder.path(), StopRequest::at_once), Outcome::stopped);
  EXPECT_EQ(newest(folder.path()).position, 1u);
  EXPECT_TRUE(metrics(folder.path(), "evaluate").empty());
  run(config, folder.path());
  EXPECT_EQ(metrics(folder.path(), "evaluate").size(), 4u);
  expect_same_end(newest(folder.path()), newest(undisturbed.path()));
}

TEST(TrainingRun, TakesACheckpointFromBeforeTheNextEpochAsOneFromItsBeginning) {
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

TEST(TrainingRun, PassesOverACheckpointWhoseGeneratorIsNone) {
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
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::AllOf(testing::HasSubstr("step-00000007-a0 cannot be used: its rng.safetensors holds"),
                             testing::HasSubstr("resumed after step 5\n")));
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

TEST(TrainingRun, TellsThatLearningRatesFollowTheNewNumberOfSteps) {
  const TemporaryFolder folder;
  TrainConfig config = elaborate_config();
  config.epochs = 1;
  run(config, folder.path());
  config.epochs = 2;
  config.data.batch_size = 25;
  testing::internal::CaptureStdout();
  run(config, folder.path());
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::HasSubstr("sums of gradients, the size of a batch, the learning rates\n"));
}

TEST(TrainingRun, RefusesACheckpointOfAnotherModel) {
  const TemporaryFolder folder;
  run(small_config(), folder.path());
  TrainConfig config = small_config();
  config.model.options.at("hidden_dims") = std::vector<std::int64_t>{7};
  const auto refused = [](const std::string& advice) {
    return testing::ThrowsMessage<CheckpointMismatch>(testing::HasSubstr(advice));
  };
  EXPECT_THAT([&] { (void)run(config, folder.path()); }, refused("or set checkpoint.resume: never"));
  const TemporaryFolder another;
  const std::string place = folder / "checkpoints" / "LATEST";
  config.checkpoint.path = place;
  EXPECT_THAT([&] { (void)run(config, another.path()); },
              refused("it is the one of train.checkpoint.path: '" + place + "'"));
  config.checkpoint.path.reset();
  config.checkpoint.resume = Resume::never;
  EXPECT_EQ(run(config, folder.path()), Outcome::completed);
}

TEST(TrainingRun, EvaluatesACheckpoint) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.mode = Mode::evaluate;
  EXPECT_THROW(run(config, folder.path()), NoValidCheckpoint);
  run(small_config(), folder.path());
  const auto trained = metrics(folder.path(), "evaluate");
  run(config, folder.path());
  const auto evaluated = metrics(folder.path(), "evaluate");
  ASSERT_EQ(evaluated.size(), trained.size() + 1);
  EXPECT_EQ(evaluated.back().at("loss"), trained.back().at("loss"));
}

TEST(TrainingRun, TellsWhatACheckpointHasCost) {
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

TEST(TrainingRun, KeepsTheCheckpointOfTheBestEvaluation) {
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

TEST(TrainingRun, TheBestIsRememberedWhenItGoesOn) {
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

TEST(TrainingRun, AnEvaluationOutOfTurnPinsTheLastCheckpoint) {
  const TemporaryFolder folder;
  TrainConfig config = small_config();
  config.epochs.reset();
  config.max_steps = 7;
  config.evaluate.every_epochs = 5;
  config.checkpoint.keep_best = KeepBest::accuracy;
  run(config, folder.path());
  EXPECT_EQ(load_checkpoint(folder / "checkpoints" / "BEST").step, 7u);
}

TEST(TrainingRun, BeginsWithACheckpointOfAnotherRun) {
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
  EXPECT_EQ(run(config, second.path(), StopRequest::at_once), Outcome::stopped);
  EXPECT_EQ(newest(second.path()).step, 8u);
  run(config, second.path());  // goes on from its own
  expect_same_end(newest(second.path()), newest(whole.path()));
  EXPECT_EQ(newest(first.path()).step, 7u);
}

TEST(TrainingRun, ACheckpointThatAlreadyEndsItIsTakenOver) {
  const TemporaryFolder first;
  run(small_config(), first.path());
  const TemporaryFolder second;
  TrainConfig config = small_config();
  config.checkpoint.path = first / "checkpoints" / "LATEST";
  EXPECT_EQ(run(config, second.path()), Outcome::completed);
  expect_same_end(newest(second.path()), newest(first.path()));
}

TEST(TrainingRun, ACheckpointByItsPlaceMustBeWhole) {
  const TemporaryFolder first;
  run(small_config(), first.path());
  std::filesystem::resize_file(first / "checkpoints" / "step-00000010-a0" / "rng.safetensors", 20);
  for (const char* place : {"checkpoints/LATEST", "checkpoints", "nowhere"}) {
    const TemporaryFolder second;
    TrainConfig config = small_config();
    config.checkpoint.path = first / place;
    EXPECT_THROW(run(config, second.path()), NoValidCheckpoint) << place;
    config.mode = Mode::evaluate;
    EXPECT_THROW(run(config, second.path()), NoValidCheckpoint) << place;
  }
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

TEST(TrainingRun, EndsWhenTheLossIsNotFinite) {
  TrainConfig config = small_config();
  config.optimizer.options.at("learning_rate") = 1e38;
  try {
    (void)run(config, {});
    FAIL() << "it went on";
  } catch (const NonFinite& error) {
    EXPECT_STREQ(error.what(),
                 "the loss of step 2 is NaN: parameter 'layers.0.weight' is not finite, so it was the update "
                 "before that went wrong");
  }
}

TEST(TrainingRun, SavesNothingThatIsNotFinite) {
  for (const bool at_each_step : {false, true}) {
    const TemporaryFolder folder;
    TrainConfig config = small_config();
    config.epochs.reset();
    config.max_steps = 1;
    config.evaluate.every_epochs = at_each_step ? 0 : 1;
    if (at_each_step) config.checkpoint.every_steps = 1;
    run(config, folder.path());
    config.max_steps = 2;
    config.optimizer.options.at("learning_rate") = std::numeric_limits<double>::infinity();
    try {
      (void)run(config, folder.path());
      FAIL() << "it went on";
    } catch (const NonFinite& error) {
      EXPECT_STREQ(error.what(),
                   "parameter 'layers.0.weight' is not finite after step 2, so it was the update that went "
                   "wrong: no checkpoint of it is kept");
    }
    EXPECT_EQ(newest(folder.path()).step, 1u);
  }
}

TEST(NonFinite, AnEvaluationMustBeFiniteToo) {
  const auto model = make_model(small_config().model);
  EXPECT_NO_THROW(check_finite_evaluation(0.5, *model, 7));
  EXPECT_THROW(check_finite_evaluation(std::numeric_limits<double>::infinity(), *model, 7), NonFinite);
  const at::NoGradGuard no_grad;
  model->named_parameters()["layers.1.bias"][1].fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_THROW(check_finite_evaluation(0.5, *model, 7), NonFinite);
}

TEST(NonFinite, NamesTheFirstCause) {
  const auto model = make_model(small_config().model);
  const auto message = [&](const Batch& batch, float loss, float logit) -> std::string {
    const std::vector<MicroBatch> batches = {{batch}};
    const std::vector<PassResult> passes = {
        {at::full({}, loss), at::full({2, 3}, logit), at::zeros({2}, at::kLong)}};
    try {
      check_finite(passes, batches, *model, 7);
    } catch (const NonFinite& error) {
      return error.what();
    }
    return "fine";
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Batch good{at::ones({2, 8}), at::zeros({2}, at::kLong)};
  const Batch bad{at::full({2, 8}, infinity), at::zeros({2}, at::kLong)};
  EXPECT_EQ(message(good, 1, 1), "fine");
  EXPECT_EQ(message(bad, nan, nan), "the loss of step 7 is NaN: the inputs of its batch are not finite");
  EXPECT_EQ(message(good, infinity, infinity),
            "the loss of step 7 is infinite: the output of the model is not finite");
  const at::NoGradGuard no_grad;
  model->named_parameters()["layers.1.bias"].fill_(nan);
  EXPECT_EQ(message(good, nan, nan),
            "the loss of step 7 is NaN: parameter 'layers.1.bias' is not finite, so it was the "
            "update before that went wrong");
}

TEST(TrainingRun, RefusesLessThanOneBatch) {
  TrainConfig config = small_config();
  config.data.batch_size = 51;
  config.data.drop_last = true;
  EXPECT_THROW(run(config, {}), std::invalid_argument);
}

}  // namespace
}  // namespace ddp::trainer
