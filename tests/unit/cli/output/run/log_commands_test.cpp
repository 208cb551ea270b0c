#include "cli/output/run/log_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/output/run/known_runs.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LogCommandsTest : public testing::Test {
 protected:
  void add_point(RunState state) {
    record.points.push_back({record.points.size()});
    auto& point = status.points.emplace_back();
    point.state = state;
    if (state != RunState::queued) point.started = at(10);
  }
  [[nodiscard]] std::vector<std::string> render() const { return render_log_commands(sweep, record, status); }

  RunPointer sweep = make_run(RunState::running).pointer;
  SweepRecord record{.keys = {"train.seed"}, .points = {}, .at_once = {}};
  RunStatus status;
};

TEST_F(LogCommandsTest, PutsThePointsThatRunFirstAndThenThoseThatFailed) {
  for (const auto state :
       {RunState::succeeded, RunState::timed_out, RunState::running, RunState::running, RunState::queued})
    add_point(state);
  EXPECT_THAT(render(), ElementsAre("  ddpsubmit logs job-1/2  seed 2  running",
                                    "  ddpsubmit logs job-1/3  seed 3  running",
                                    "  ddpsubmit logs job-1/1  seed 1  timed out",
                                    "  ddpsubmit logs job-1/0  seed 0  succeeded"));
}

TEST_F(LogCommandsTest, IsEmptyBeforeAPointHasStarted) {
  add_point(RunState::queued);
  EXPECT_THAT(render(), IsEmpty());
}

TEST_F(LogCommandsTest, NamesAtMostTwentyPoints) {
  for (int number = 0; number < 25; ++number) add_point(RunState::succeeded);
  const auto lines = render();
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines[19], "  ddpsubmit logs job-1/19  seed 19  succeeded");
  EXPECT_EQ(lines[20], "  and 5 more: ddpsubmit status job-1");
}

}  // namespace
}  // namespace ddp::cli
