#include "jobenv/record/metrics/merged_metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp {
namespace {

using testing::ElementsAre;

struct Told {
  std::string kind;
  int attempt;
  std::int64_t step;
};

/// Each with a loss that tells attempt and step.
std::vector<std::string> merge(const std::vector<Told>& told) {
  std::vector<MetricsRecord> records;
  for (const auto& [kind, attempt, step] : told)
    records.push_back({.kind = kind, .attempt = attempt, .step = step});
  std::vector<std::string> merged;
  for (const auto record : MergedMetrics(records))
    merged.push_back(record.kind + ' ' + std::to_string(record.step) + " of " +
                     std::to_string(record.attempt));
  return merged;
}

TEST(MergedMetrics, AreSortedByStepAndKind) {
  EXPECT_THAT(merge({{"first_step", 0, 1},
                     {"train", 0, 10},
                     {"later", 0, 10},
                     {"train", 0, 20},
                     {"evaluate", 0, 10},
                     {"checkpoint_failed", 0, 10},
                     {"checkpoint", 0, 10}}),
              ElementsAre("train 10 of 0", "evaluate 10 of 0", "checkpoint 10 of 0", "later 10 of 0",
                          "train 20 of 0"));
}

TEST(MergedMetrics, StepsThatWereLostAndDoneAgainAreThoseOfTheLaterAttempt) {
  EXPECT_THAT(merge({{"first_step", 0, 1},
                     {"train", 0, 10},
                     {"train", 0, 20},
                     {"evaluate", 0, 20},
                     {"train", 0, 30},
                     {"first_step", 1, 16},
                     {"train", 1, 20},
                     {"train", 0, 40},
                     {"train", 1, 25}}),
              ElementsAre("train 10 of 0", "train 20 of 1", "train 25 of 1"));
}

TEST(MergedMetrics, AnEvaluationBeforeTheFirstStepDropsNothing) {
  EXPECT_THAT(merge({{"train", 0, 10}, {"train", 0, 20}, {"evaluate", 1, 20}, {"first_step", 1, 21}}),
              ElementsAre("train 10 of 0", "train 20 of 0", "evaluate 20 of 1"));
}

TEST(MergedMetrics, WithoutAFirstStepTheFirstTrainingRecordTellsWhereAnAttemptBegan) {
  EXPECT_THAT(
      merge({{"train", 0, 10}, {"train", 0, 20}, {"evaluate", 0, 20}, {"train", 0, 30}, {"train", 1, 20}}),
      ElementsAre("train 10 of 0", "train 20 of 1"));
}

TEST(MergedMetrics, ALogBeforeTheFirstStepDropsOnlyWhatItReplaces) {
  EXPECT_THAT(
      merge({{"train", 0, 0}, {"train", 0, 10}, {"train", 1, 0}, {"first_step", 1, 11}, {"train", 1, 20}}),
      ElementsAre("train 0 of 1", "train 10 of 0", "train 20 of 1"));
}

TEST(MergedMetrics, NumbersOfOneStepAreInOneRecord) {
  const MergedMetrics merged({{.kind = "train", .step = 5, .loss = 1, .others = {{"b", 1}, {"d", 1}}},
                              {.kind = "train", .step = 5, .epoch = 2, .accuracy = 0.5},
                              {.kind = "train", .step = 5, .loss = 2, .others = {{"a", 3}, {"b", 4}}}});
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].loss, 2);
  EXPECT_EQ(merged[0].accuracy, 0.5);
  EXPECT_EQ(merged[0].epoch, 2);
  ASSERT_EQ(merged[0].others.size(), 3U);
  EXPECT_EQ(merged[0].others[0].name, "a");
  EXPECT_EQ(merged[0].others[1].value, 4);
  EXPECT_EQ(merged[0].others[2].name, "d");
}

}  // namespace
}  // namespace ddp
