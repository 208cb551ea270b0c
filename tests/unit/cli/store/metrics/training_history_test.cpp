#include "cli/store/metrics/training_history.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ddp::cli {
namespace {

std::string record(const std::string& kind, int attempt, int step, double trained_ms) {
  return R"({"kind":")" + kind + R"(","attempt":)" + std::to_string(attempt) + R"(,"step":)" +
         std::to_string(step) + R"(,"epoch":1,"time":"2026-11-21T05:20:17.123Z","trained_ms":)" +
         std::to_string(trained_ms) + "}\n";
}

TrainingHistory parse(const std::string& text) {
  std::istringstream lines(text);
  return parse_training_history(lines);
}

std::vector<std::int64_t> steps_of(const AttemptTraining& training) {
  std::vector<std::int64_t> steps;
  for (const auto& step : training.steps) steps.push_back(step.step);
  return steps;
}

TEST(TrainingHistory, HasTheStepsOfEachAttempt) {
  const auto history = parse(record("first_step", 0, 1, 40) + record("train", 0, 5, 200) +
                             record("first_step", 1, 5, 30) + record("train", 1, 10, 250));
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history.at(0).first_step->step, 1);
  EXPECT_EQ(history.at(0).first_step->trained, std::chrono::milliseconds(40));
  EXPECT_EQ(steps_of(history.at(1)), (std::vector<std::int64_t>{5, 10}));
}

TEST(TrainingHistory, PutsACheckpointWhereItBelongs) {
  const auto history = parse(record("first_step", 0, 1, 40) + record("train", 0, 50, 900) +
                             record("checkpoint", 0, 40, 700) + record("train", 0, 60, 1100));
  EXPECT_EQ(steps_of(history.at(0)), (std::vector<std::int64_t>{1, 40, 50, 60}));
}

TEST(TrainingHistory, TakesTheLastOfSeveralProgressRecords) {
  const auto history =
      parse(record("first_step", 0, 1, 40) + record("train", 0, 5, 200) + record("train", 0, 10, 400) +
            record("checkpoint", 0, 12, 450) + record("train", 0, 15, 600) + record("train", 0, 20, 800) +
            record("train", 0, 25, 900).substr(0, 40));
  EXPECT_EQ(steps_of(history.at(0)), (std::vector<std::int64_t>{1, 10, 12, 20}));
}

TEST(TrainingHistory, PassesOverWhatTellsOfNoStep) {
  const auto whole = record("first_step", 0, 5, 200);
  const auto history = parse(
      "\nnonsense\n[1]\n" + whole.substr(0, 30) + "\n" + record("checkpoint", 0, -1, 1) +
      record("checkpoint", 0, 4, -1) + R"({"kind":"evaluate","attempt":0,"step":5,"time":"x"})" + "\n" +
      R"({"kind":"checkpoint","attempt":0,"step":7,"time":"2026-11-21T05:20:17.123Z","trained_ms":"9"})" +
      "\n" + whole + record("checkpoint", 0, 6, 300).substr(0, 60));
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(steps_of(history.at(0)), (std::vector<std::int64_t>{5}));
  EXPECT_TRUE(load_training_history(RunFolder("/nowhere")).empty());
}

}  // namespace
}  // namespace ddp::cli
