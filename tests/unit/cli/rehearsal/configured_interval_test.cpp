#include "cli/rehearsal/configured_interval.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// 10 epochs of 1000 steps, 100 ms each.
constexpr JobPace kPace{.step = milliseconds(100), .steps_per_epoch = 1000};

trainer::TrainConfig make_train() {
  trainer::TrainConfig train;
  train.epochs = 10;
  return train;
}

TEST(ConfiguredInterval, OfStepsEpochsAndTime) {
  auto train = make_train();
  train.checkpoint.every_epochs = 2;
  auto found = find_configured_interval(train, kPace);
  EXPECT_EQ(found.key, "train.checkpoint.every_epochs: 2");
  EXPECT_DOUBLE_EQ(found.steps, 2000);
  EXPECT_DOUBLE_EQ(found.time.count(), 200);
  train.checkpoint.every = minutes(1);
  found = find_configured_interval(train, kPace);
  EXPECT_EQ(found.key, "train.checkpoint.every: 1m");
  EXPECT_DOUBLE_EQ(found.steps, 600);
  train.checkpoint.every_steps = 50;
  found = find_configured_interval(train, kPace);
  EXPECT_EQ(found.key, "train.checkpoint.every_steps: 50");
  EXPECT_DOUBLE_EQ(found.time.count(), 5);
}

TEST(ConfiguredInterval, IsTheJobWhereNoneIsWrittenBeforeItsEnd) {
  auto train = make_train();
  EXPECT_EQ(find_configured_interval(train, kPace).key, "");
  EXPECT_DOUBLE_EQ(find_configured_interval(train, kPace).steps, 10'000);
  train.checkpoint.every_epochs = 20;
  EXPECT_EQ(find_configured_interval(train, kPace).key, "");
  train.epochs.reset();
  train.max_steps = 30;
  EXPECT_DOUBLE_EQ(find_configured_interval(train, kPace).steps, 30);
}

}  // namespace
}  // namespace ddp::cli
