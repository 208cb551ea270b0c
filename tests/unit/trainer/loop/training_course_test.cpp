#include "trainer/loop/training_course.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

/// Two epochs; a step takes two batches, and no epoch is evaluated.
TrainConfig two_epochs() {
  TrainConfig config;
  config.epochs = 2;
  config.gradient_accumulation_steps = 2;
  config.evaluate.every_epochs = 0;
  return config;
}

TEST(TrainingCourse, TheLastStepOfAnEpochTakesWhatIsLeft) {
  const TrainConfig config = two_epochs();
  TrainingCourse course(config);
  course.set_batches_per_epoch(5);
  EXPECT_EQ(course.total_steps(), 6);
  std::vector<std::int64_t> taken;
  while (!course.is_done()) {
    taken.push_back(course.batches_of_next_step());
    course.finish_step(taken.back());
  }
  EXPECT_THAT(taken, testing::ElementsAre(2, 2, 1, 2, 2, 1));
  EXPECT_EQ(course.place(), (TrainingPlace{.step = 6, .epoch = 2, .position = 0}));
}

TEST(TrainingCourse, AnEpochIsNotOverBeforeItsEvaluation) {
  TrainConfig config = two_epochs();
  config.evaluate.every_epochs = 2;
  TrainingCourse course(config);
  course.set_batches_per_epoch(2);
  course.finish_step(2);
  EXPECT_EQ(course.place(), (TrainingPlace{.step = 1, .epoch = 1, .position = 0}));
  course.finish_step(2);
  EXPECT_EQ(course.place(), (TrainingPlace{.step = 2, .epoch = 1, .position = 2}));
  EXPECT_TRUE(course.epoch_is_done());
  course.begin_next_epoch();
  EXPECT_EQ(course.place(), (TrainingPlace{.step = 2, .epoch = 2, .position = 0}));
  EXPECT_FALSE(course.epoch_is_done());
}

TEST(TrainingCourse, EndsWithItsLastEpochHoweverManyStepsThoseBeforeHad) {
  const TrainConfig config = two_epochs();
  TrainingCourse course(config);
  course.set_batches_per_epoch(5);
  course.go_on_from({.step = 40, .epoch = 1, .position = 2});
  EXPECT_EQ(course.total_steps(), 42);
  course.go_on_from({.step = 40, .epoch = 0, .position = 5});  // done, and not evaluated
  EXPECT_EQ(course.place(), (TrainingPlace{.step = 40, .epoch = 1, .position = 0}));
  EXPECT_EQ(course.total_steps(), 43);
}

TEST(TrainingCourse, ASetNumberOfStepsHoldsWhereverItGoesOn) {
  TrainConfig config = two_epochs();
  config.epochs.reset();
  config.max_steps = 7;
  TrainingCourse course(config);
  course.set_batches_per_epoch(5);
  course.go_on_from({.step = 6, .epoch = 9, .position = 2});
  EXPECT_EQ(course.total_steps(), 7);
  course.finish_step(2);
  EXPECT_EQ(
      course.nothing_left(),
      "nothing left to train: train.max_steps is 7 and step 7 is done; to train longer, raise it above 7");
}

TEST(TrainingCourse, AnEvaluationStandsWhereItsCheckpointIs) {
  TrainConfig config = two_epochs();
  config.mode = Mode::evaluate;
  TrainingCourse course(config);
  const TrainingPlace place{.step = 6, .epoch = 1, .position = 5};
  course.go_on_from(place);
  EXPECT_EQ(course.place(), place);
}

TEST(TrainingCourse, WhatIsDoneNowAndThen) {
  EXPECT_TRUE(due(6, 3));
  EXPECT_FALSE(due(7, 3));
  EXPECT_FALSE(due(6, 0));
  EXPECT_FALSE(due(6, std::nullopt));
}

}  // namespace
}  // namespace ddp::trainer
