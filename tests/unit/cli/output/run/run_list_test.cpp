#include "cli/output/run/run_list.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cli/output/run/known_runs.hpp"

namespace ddp::cli {
namespace {

TEST(RunList, HasOneRowARun) {
  auto run = make_run(RunState::running);
  run.pointer.job_id = "77";
  EXPECT_EQ(render_run_list({run}, at(120)),
            "RUN    LAUNCHER  STATE    PROGRESS  LEFT  LIMIT IN  AGE    JOB\n"
            "job-1  local     running  -         -     -         2 min  77\n");
}

TEST(RunList, ShowsHowFarATrainingIsAndHowLongItTakes) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(1);
  run.live = live_record();
  EXPECT_NE(render_run_list({run}, at(120)).find("running  11 %      6 min  -         2 min  -\n"),
            std::string::npos)
      << render_run_list({run}, at(120));
  run.live->job_end = at(120 + 7200);
  run.live->total_steps.reset();
  EXPECT_NE(render_run_list({run}, at(120)).find("running  step 100  -     2 h       2 min  -\n"),
            std::string::npos)
      << render_run_list({run}, at(120));
}

TEST(RunList, ShowsTheLastStepOfARunThatHasEnded) {
  auto run = make_run(RunState::failed);
  run.status.attempts.resize(2);
  EXPECT_NE(render_run_list({run}, at(120)).find("failed  -  "), std::string::npos);
  run.status.attempts[0].last_step = 374;
  EXPECT_NE(render_run_list({run}, at(120)).find("failed  step 374  -"), std::string::npos)
      << render_run_list({run}, at(120));
}

TEST(RunList, OfANarrowTerminalLeavesOutColumnsWithoutValues) {
  auto run = make_run(RunState::running);
  run.pointer.job_id = "77";
  EXPECT_EQ(render_run_list({run}, at(120), {}, 66), render_run_list({run}, at(120)));
  EXPECT_EQ(render_run_list({run}, at(120), {}, 60),
            "RUN    LAUNCHER  STATE    AGE    JOB\n"
            "job-1  local     running  2 min  77\n");
}

TEST(RunList, OfATerminalThatIsNarrowerStillGivesALongIdALine) {
  auto run = make_run(RunState::running);
  auto other = make_run(RunState::succeeded);
  other.pointer.run_id = "a-run-with-a-name-that-is-long-1";
  EXPECT_EQ(render_run_list({run, other}, at(120), {}, 40),
            "RUN    LAUNCHER  STATE      AGE\n"
            "job-1  local     running    2 min\n"
            "a-run-with-a-name-that-is-long-1\n"
            "       local     succeeded  2 min\n");
  EXPECT_EQ(render_run_list({run}, at(120), {}, 10),
            "RUN\n"
            "  LAUNCHER  STATE    AGE\n"
            "job-1\n"
            "  local     running  2 min\n");
}

TEST(RunList, CountsTheEndedPointsOfASweep) {
  auto run = make_run(RunState::running);
  run.status.points.resize(3);
  run.status.points[0].state = RunState::succeeded;
  run.status.points[1].state = RunState::failed;
  run.status.points[2].state = RunState::running;
  EXPECT_NE(render_run_list({run}, at(120)).find("running  2/3 points"), std::string::npos)
      << render_run_list({run}, at(120));
}

TEST(RunList, CountsThePointsThatSucceededWhereNotAllDid) {
  auto run = make_run(RunState::failed);
  run.status.points.resize(3);
  run.status.points[0].state = RunState::succeeded;
  run.status.points[1].state = RunState::failed;
  run.status.points[2].state = RunState::cancelled;
  EXPECT_NE(render_run_list({run}, at(120)).find("failed  1 of 3 ok"), std::string::npos)
      << render_run_list({run}, at(120));
}

}  // namespace
}  // namespace ddp::cli
