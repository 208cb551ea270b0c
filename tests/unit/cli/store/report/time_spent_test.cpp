#include "cli/store/report/time_spent.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cli/at.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;

AttemptStatus attempt_between(int number, int begin, std::optional<int> end) {
  AttemptStatus attempt;
  attempt.number = number;
  attempt.started = at(begin);
  if (end) attempt.ended = at(*end);
  return attempt;
}

TEST(TimeSpent, TellsWaitingFromRunning) {
  RunStatus status;
  status.state = RunState::queued;
  status.submitted = at(1);
  EXPECT_EQ(time_spent_by(status, at(9)), (TimeSpent{.waited = seconds(8), .ran = {}}));
  status.state = RunState::running;
  status.started = at(3);
  status.attempts = {attempt_between(0, 3, {})};
  EXPECT_EQ(time_spent_by(status, at(9)), (TimeSpent{.waited = seconds(2), .ran = seconds(6)}));
  status.state = RunState::succeeded;
  status.ended = at(8);
  EXPECT_EQ(time_spent_by(status, at(9)), (TimeSpent{.waited = seconds(2), .ran = seconds(5)}));
}

TEST(TimeSpent, CountsTheTimeBetweenTwoStartsOfTheJobAsWaiting) {
  RunStatus status;
  status.state = RunState::queued;
  status.submitted = at(1);
  status.started = at(3);
  status.attempts = {attempt_between(0, 3, 5)};
  EXPECT_EQ(time_spent_by(status, at(9)), (TimeSpent{.waited = seconds(6), .ran = seconds(2)}));
  status.state = RunState::running;
  status.attempts.push_back(attempt_between(1, 8, {}));
  EXPECT_EQ(time_spent_by(status, at(9)), (TimeSpent{.waited = seconds(5), .ran = seconds(3)}));
  status.attempts[1].restarted = true;  // in the same job
  EXPECT_EQ(time_spent_by(status, at(9)), (TimeSpent{.waited = seconds(2), .ran = seconds(6)}));
}

TEST(TimeSpent, LeavesOutAttemptsOfEarlierSubmissions) {
  RunStatus status;
  status.state = RunState::running;
  status.submitted = at(20);
  status.started = at(22);
  status.attempts = {attempt_between(0, 3, 5), attempt_between(1, 22, {})};
  EXPECT_EQ(time_spent_by(status, at(25)), (TimeSpent{.waited = seconds(2), .ran = seconds(3)}));
}

TEST(TimeSpent, IsNotKnownOfAnEndThatNobodySaw) {
  RunStatus status;
  status.state = RunState::failed;
  status.submitted = at(1);
  EXPECT_EQ(time_spent_by(status, at(9)), TimeSpent{});
  status.started = at(3);
  EXPECT_EQ(time_spent_by(status, at(9)), (TimeSpent{.waited = seconds(2), .ran = {}}));
}

}  // namespace
}  // namespace ddp::cli
