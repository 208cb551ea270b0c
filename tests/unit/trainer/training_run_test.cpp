#include "trainer/loop/training_run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/same_tensors.hpp"

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
  TrainingRun training(TrainingJob{config, {}, folder, at::kCPU, page, group});
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

TEST(TrainingRun, ACompletedRunIsNotRepeated) {
  const TemporaryFolder folder;
  run(small_config(), folder.path());
  const auto before = newest(folder.path());
  EXPECT_EQ(run(small_config(), folder.path()), Outcome::completed);
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

TEST(TrainingRun, RefusesACheckpointOfAnotherModel) {
  const TemporaryFolder folder;
  run(small_config(), folder.path());
  TrainConfig config = small_config();
  config.model.options.at("hidden_dims") = std::vector<std::int64_t>{7};
  EXPECT_THROW(run(config, folder.path()), CheckpointMismatch);
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

TEST(TrainingRun, RefusesLessThanOneBatch) {
  TrainConfig config = small_config();
  config.data.batch_size = 51;
  config.data.drop_last = true;
  EXPECT_THROW(run(config, {}), std::invalid_argument);
}

}  // namespace
}  // namespace ddp::trainer
