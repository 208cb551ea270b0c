#include "trainer/loop/step/trained_time.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

using std::chrono::seconds;

TrainedTime::Clock::time_point at(int second) {
  return TrainedTime::Clock::time_point{seconds(second)};
}

TEST(TrainedTime, LeavesOutWhatIsBetweenAStopAndTheNextStart) {
  TrainedTime trained;
  EXPECT_EQ(trained.total(at(5)), seconds(0));
  trained.start(at(10));
  EXPECT_EQ(trained.total(at(12)), seconds(2)) << "a step that goes on";
  trained.stop(at(13));
  EXPECT_EQ(trained.total(at(100)), seconds(3));
  trained.start(at(100));
  trained.stop(at(104));
  EXPECT_EQ(trained.total(at(200)), seconds(7));
}

}  // namespace
}  // namespace ddp::trainer
