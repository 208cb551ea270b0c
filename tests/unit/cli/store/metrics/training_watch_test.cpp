#include "cli/store/metrics/training_watch.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/fields/timestamp.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

const system_clock::time_point kStart{seconds(1'795'300'000)};

class TrainingWatchTest : public testing::Test {
 protected:
  void append(const std::string& text) const { std::ofstream(run.metrics(), std::ios::app) << text; }
  /// Ten steps of ten seconds each since the record before, in the median of one second.
  static std::string record(int attempt, int step, seconds at) {
    return "{\"kind\":\"train\",\"attempt\":" + std::to_string(attempt) +
           ",\"step\":" + std::to_string(step) + ",\"epoch\":2,\"loss\":0.5,\"samples\":640,\"time\":\"" +
           render_time(kStart + at) +
           "\",\"total_steps\":100,\"samples_per_second\":6.4,\"step_ms_p50\":1000}\n";
  }
  [[nodiscard]] std::optional<seconds> remaining(seconds now) {
    return remaining_time(*watch.look(), kStart + now);
  }

  TemporaryFolder folder;
  RunFolder run{folder.path()};
  TrainingWatch watch{run, 0};
};

TEST_F(TrainingWatchTest, SeesRecordsAsTheyCome) {
  EXPECT_FALSE(watch.look()) << "there is no file yet";
  append(record(0, 10, seconds(0)));
  ASSERT_TRUE(watch.look());
  const auto first = *watch.look();
  EXPECT_EQ(first.step, 10);
  EXPECT_EQ(first.total_steps, 100);
  EXPECT_EQ(first.epoch, 2);
  EXPECT_EQ(first.loss, 0.5);
  EXPECT_EQ(first.samples_per_second, 6.4);
  append(record(0, 20, seconds(100)));
  EXPECT_EQ(watch.look()->step, 20);
  EXPECT_EQ(watch.look()->step, 20) << "nothing has come";
}

TEST_F(TrainingWatchTest, WaitsForTheEndOfALine) {
  append(record(0, 10, seconds(0)));
  const auto next = record(0, 20, seconds(100));
  append(next.substr(0, 40));
  EXPECT_EQ(watch.look()->step, 10);
  append(next.substr(40));
  EXPECT_EQ(watch.look()->step, 20);
}

TEST_F(TrainingWatchTest, PassesOverWhatIsNoProgressRecord) {
  append(record(0, 10, seconds(0)));
  append("{\"kind\":\"evaluate\",\"attempt\":0,\"step\":12,\"epoch\":2,\"loss\":9}\n");
  append("{\"kind\":\"checkpoint\",\"attempt\":0,\"step\":12,\"epoch\":2}\n");
  append("\n[1]\nnonsense\n{\"kind\":\"train\",\"attempt\":0,\"st\n");
  append(record(0, 200, seconds(1)));  // of 100
  ASSERT_TRUE(watch.look());
  EXPECT_EQ(watch.look()->step, 10);
  EXPECT_EQ(watch.look()->loss, 0.5);
  append(record(0, 20, seconds(2)));
  EXPECT_EQ(watch.look()->step, 20) << "what comes after it counts";
}

TEST_F(TrainingWatchTest, KnowsNoLossThatIsNoNumber) {
  append(
      "{\"kind\":\"train\",\"attempt\":0,\"step\":1,\"epoch\":1,\"total_steps\":2,\"loss\":null,\"time\":\"" +
      render_time(kStart) + "\"}\n");
  ASSERT_TRUE(watch.look());
  EXPECT_FALSE(watch.look()->loss);
  EXPECT_FALSE(watch.look()->samples_per_second);
  EXPECT_FALSE(remaining(seconds(0))) << "nor how fast it goes";
}

TEST_F(TrainingWatchTest, TakesTheTimeOfAStepFromTheFirstRecordAndThenFromTheClock) {
  append(record(0, 10, seconds(0)));
  EXPECT_EQ(remaining(seconds(0)), seconds(90)) << "a second each, in the median";
  append(record(0, 20, seconds(100)));
  EXPECT_EQ(remaining(seconds(100)), seconds(800)) << "evaluations and checkpoints are in it";
  append(record(0, 100, seconds(900)));
  EXPECT_EQ(remaining(seconds(900)), seconds(0));
}

TEST_F(TrainingWatchTest, RunsDownUntilTheNextRecordIsDue) {
  append(record(0, 10, seconds(0)));
  append(record(0, 20, seconds(100)));
  EXPECT_EQ(remaining(seconds(160)), seconds(740));
  EXPECT_EQ(remaining(seconds(200)), seconds(700));
  EXPECT_EQ(remaining(seconds(5000)), seconds(700)) << "a training that hangs does not come closer";
  EXPECT_EQ(remaining(seconds(50)), seconds(800)) << "the clock of this host is behind";
}

TEST_F(TrainingWatchTest, IsNotMisledByAClockThatIsSetBack) {
  append(record(0, 10, seconds(1000)));
  append(record(0, 20, seconds(0)));
  EXPECT_EQ(remaining(seconds(0)), seconds(80));
}

TEST_F(TrainingWatchTest, MeasuresEachAttemptByItself) {
  append(record(0, 10, seconds(0)));
  append(record(0, 60, seconds(5000)));
  append(record(1, 50, seconds(9000)));
  EXPECT_EQ(watch.look()->attempt, 1);
  EXPECT_EQ(watch.look()->step, 50);
  EXPECT_EQ(remaining(seconds(9000)), seconds(50));
  append(record(1, 60, seconds(9020)));
  EXPECT_EQ(remaining(seconds(9020)), seconds(80));
  append(record(0, 90, seconds(9030)));
  EXPECT_EQ(watch.look()->step, 60) << "what an attempt that is over still writes";
}

TEST_F(TrainingWatchTest, LeavesOutWhatCameBeforeItsFirstAttempt) {
  append(record(0, 90, seconds(0)));
  append(record(1, 95, seconds(0)));
  TrainingWatch second(run, 2);
  EXPECT_FALSE(second.look());
  append(record(2, 10, seconds(1)));
  EXPECT_EQ(second.look()->step, 10);
}

TEST_F(TrainingWatchTest, GoesOnBehindALineThatIsCutOff) {
  append(record(0, 10, seconds(0)));
  append("{\"kind\":\"train\",\"attempt\":0,\"step\":20,");
  EXPECT_EQ(watch.look()->step, 10);
  append(record(1, 15, seconds(50)));
  EXPECT_EQ(watch.look()->step, 10) << "one line with what stands before it";
  append(record(1, 25, seconds(60)));
  EXPECT_EQ(watch.look()->step, 25);
}

TEST_F(TrainingWatchTest, FindsTheEndOfALongFile) {
  std::string text;
  for (int number = 0; number < 10'000; ++number) text += record(number, 10, seconds(number));
  append(text);
  TrainingWatch late(run, 0);
  EXPECT_EQ(late.look()->attempt, 9'999);
}

TEST_F(TrainingWatchTest, TakesNothingOfALineWithoutEnd) {
  append(std::string(1 << 20, ' '));
  EXPECT_FALSE(watch.look());
  append(std::string(1 << 20, ' ') + record(0, 10, seconds(0)));
  EXPECT_FALSE(watch.look());
  append(record(0, 20, seconds(0)));
  EXPECT_EQ(watch.look()->step, 20);
}

}  // namespace
}  // namespace ddp::cli
