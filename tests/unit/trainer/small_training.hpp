#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ddp/trainer/init_process_group.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/loaded_checkpoint.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/config/setting_list.hpp"
#include "trainer/loop/training_run.hpp"

/// A training that takes milliseconds, and what is left of it.
namespace ddp::trainer {

inline TrainConfig small_config() {
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

enum class StopRequest { none, order = SIGTERM, before_time_limit = SIGUSR2 };

inline Outcome run(const TrainConfig& config, const std::filesystem::path& folder,
                   StopRequest request = StopRequest::none) {
  ProgressPage page;
  page.stop_requested = static_cast<std::uint32_t>(request);
  ProcessGroup group = init_process_group({});
  const Components own;
  TrainingRun training(TrainingJob{config,
                                   {},
                                   folder,
                                   at::kCPU,
                                   page,
                                   group,
                                   own,
                                   list_settings(config, bundled_schemas(), FilePlaces::listed)});
  const Outcome outcome = training.run();
  EXPECT_EQ(page.phase == Phase::done, outcome == Outcome::completed);
  return outcome;
}

inline TrainingState newest(const std::filesystem::path& folder) {
  return load_newest_valid(CheckpointStore(folder / "checkpoints", 0, [] { return 0; })).value();
}

inline std::vector<nlohmann::json> metrics(const std::filesystem::path& folder, const std::string& kind) {
  std::vector<nlohmann::json> records;
  std::ifstream file(folder / "metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    auto record = nlohmann::json::parse(line);
    if (record.at("kind") == kind) records.push_back(std::move(record));
  }
  return records;
}

inline void expect_same_end(const TrainingState& a, const TrainingState& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.epoch, b.epoch);
  EXPECT_EQ(a.position, b.position);
  EXPECT_TRUE(same_tensors(a.model, b.model));
  EXPECT_TRUE(same_tensors(a.optimizer, b.optimizer));
  EXPECT_TRUE(same_tensor(a.rng.at(0), b.rng.at(0)));
}

}  // namespace ddp::trainer
