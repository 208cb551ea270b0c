#include "trainer/optim/schedules/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {
namespace {

Component schedule(const char* name, std::map<std::string, OptionValue> options) {
  options.emplace("warmup_steps", std::int64_t{0});
  options.emplace("warmup_start_factor", 0.1);
  options.emplace("reference_batch_size", std::int64_t{0});
  return {name, std::move(options)};
}

constexpr std::int64_t kSteps = 100;
constexpr std::int64_t kStepsPerEpoch = 10;

std::vector<double> rates(const Component& component, const std::vector<std::int64_t>& steps) {
  const Schedule schedule(component, 2.0, kSteps);
  std::vector<double> rates;
  for (const auto step : steps) rates.push_back(schedule.learning_rate(step, step / kStepsPerEpoch));
  return rates;
}

TEST(Schedule, WithoutOneTheRateStays) {
  const Schedule none(std::nullopt, 0.3, kSteps);
  EXPECT_EQ(none.learning_rate(0, 0), 0.3);
  EXPECT_EQ(none.learning_rate(99, 9), 0.3);
}

TEST(Schedule, StepDecaysAfterSoManyEpochsOrSteps) {
  const auto with = [](const char* unit) {
    return schedule("step", {{"step_size", std::int64_t{2}}, {"gamma", 0.5}, {"unit", unit}});
  };
  EXPECT_EQ(rates(with("epochs"), {0, 19, 20, 39, 40}), (std::vector{2.0, 2.0, 1.0, 1.0, 0.5}));
  EXPECT_EQ(rates(with("steps"), {0, 1, 2, 3, 4}), (std::vector{2.0, 2.0, 1.0, 1.0, 0.5}));
}

TEST(Schedule, EpochsAreThoseOfTheRunHoweverManyStepsTheyHad) {
  const auto component =
      schedule("step", {{"step_size", std::int64_t{2}}, {"gamma", 0.5}, {"unit", "epochs"}});
  const Schedule decaying(component, 2.0, kSteps);
  EXPECT_EQ(decaying.learning_rate(70, 1), 2.0);
  EXPECT_EQ(decaying.learning_rate(71, 2), 1.0);
}

TEST(Schedule, MultistepDecaysAtItsMilestones) {
  const auto component = schedule(
      "multistep", {{"milestones", std::vector<std::int64_t>{3, 5}}, {"gamma", 0.5}, {"unit", "epochs"}});
  EXPECT_EQ(rates(component, {0, 29, 30, 49, 50, 99}), (std::vector{2.0, 2.0, 1.0, 1.0, 0.5, 0.5}));
}

TEST(Schedule, CosineAndLinearReachTheEndOfTheRun) {
  const auto cosine = rates(schedule("cosine", {{"min_learning_rate", 1.0}}), {0, 50, 100, 200});
  EXPECT_EQ(cosine[0], 2.0);
  EXPECT_NEAR(cosine[1], 1.5, 1e-12);
  EXPECT_EQ(cosine[2], 1.0);
  EXPECT_EQ(cosine[3], 1.0);  // a run that went on would stay there
  EXPECT_EQ(rates(schedule("linear", {{"end_factor", 0.5}}), {0, 50, 100}), (std::vector{2.0, 1.5, 1.0}));
}

TEST(Schedule, TheWarmUpComesBeforeTheRest) {
  const auto component = schedule("cosine", {{"min_learning_rate", 0.0}, {"warmup_steps", std::int64_t{20}}});
  const auto values = rates(component, {0, 10, 20, 60});
  EXPECT_NEAR(values[0], 0.2, 1e-12);
  EXPECT_NEAR(values[1], 1.1, 1e-12);
  EXPECT_EQ(values[2], 2.0);
  EXPECT_NEAR(values[3], 1 + std::cos(std::numbers::pi / 2), 1e-12);
}

TEST(Schedule, AWarmUpThatLeavesNoStepIsRefused) {
  const auto component = schedule("constant", {{"warmup_steps", std::int64_t{100}}});
  EXPECT_THROW(Schedule(component, 1.0, kSteps), InvalidConfiguration);
}

TEST(Schedule, TheRateGrowsWithTheGlobalBatch) {
  const auto component = schedule("constant", {{"reference_batch_size", std::int64_t{256}}});
  EXPECT_EQ(scaled_learning_rate(0.1, component, 1024), 0.4);
  EXPECT_EQ(scaled_learning_rate(0.1, schedule("constant", {}), 1024), 0.1);
  EXPECT_EQ(scaled_learning_rate(0.1, std::nullopt, 1024), 0.1);
}

}  // namespace
}  // namespace ddp::trainer
