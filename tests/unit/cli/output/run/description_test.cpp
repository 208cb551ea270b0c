#include "cli/output/run/description.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cli/output/run/known_runs.hpp"

namespace ddp::cli {
namespace {

TEST(Description, ShowsWhatWasAskedForAndOfWhichSource) {
  auto run = make_run(RunState::running);
  auto& plan = run.plan.emplace();
  plan.program = ProgramKind::command;
  run.output = "/runs/job-1/output";
  plan.argv = {"python3", "train.py", "--name", "a b"};
  plan.nodes = 2;
  plan.tasks_per_node = 4;
  plan.gpus_per_node = 1;
  plan.cpus_per_task = 8;
  plan.time_limit = std::chrono::hours(1);
  run.status.commit = std::string(40, 'a');
  run.status.branch = "main";
  const auto text = render_description(run, at(30));
  EXPECT_NE(text.find("command     python3 train.py --name 'a b'\n"
                      "resources   2 nodes with 4 ranks and 1 GPU each, 8 CPUs per rank\n"
                      "time limit  1 h\n"
                      "commit      aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, branch main\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("output      /runs/job-1/output\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("checkpoint"), std::string::npos) << text;
  plan.argv.emplace_back(300, 'x');
  EXPECT_NE(render_description(run, at(30)).find("--name 'a b' …\n"), std::string::npos);
}

TEST(Description, ShowsWhatARankUsesNow) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(1);
  run.status.attempts[0].ranks.resize(2);
  run.status.attempts[0].ranks[1].rank = 1;
  run.live = live_record();
  run.live->ranks.push_back({.rank = 1,
                             .host = "n1",
                             .phase = Phase::evaluate,
                             .step = 7,
                             .cpu_percent = 98.4,
                             .memory_bytes = 300 << 20,
                             .process = "running"});
  fill_in_live_ranks(run);
  const auto text = render_description(run, at(30));
  EXPECT_NE(text.find("LAST STEP  USE\n"), std::string::npos) << text;
  EXPECT_NE(text.find("evaluate  7          98 % CPU, 300 MiB\n"), std::string::npos) << text;
}

TEST(Description, DoesNotSayThatASilentCommandIsAtItsStart) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(1);
  run.status.attempts[0].ranks.resize(1);
  run.status.attempts[0].ranks[0].phase = "start";
  run.plan.emplace().program = ProgramKind::command;
  EXPECT_EQ(render_description(run, at(30)).find(" start "), std::string::npos);
  run.plan->program = ProgramKind::trainer;
  EXPECT_NE(render_description(run, at(30)).find(" start "), std::string::npos);
}

TEST(Description, ShowsAttemptsAndRanks) {
  auto run = make_run(RunState::failed);
  AttemptStatus attempt;
  attempt.host = "n1";
  attempt.outcome = "failed";
  attempt.message = "rank 1 on n1 was killed by signal 9 (KILL)";
  attempt.resumed_from = 40;
  attempt.last_step = 57;
  attempt.started = at(15);
  attempt.ended = at(25);
  attempt.lost_steps = 17;
  attempt.hosts = {"n1", "n2"};
  attempt.restart_count = 1;
  RankStatus killed;
  killed.rank = 1;
  killed.host = "n1";
  killed.pid = 33;
  killed.ended = true;
  killed.signal = 9;
  attempt.ranks = {killed};
  run.status.attempts = {attempt};
  const auto text = render_description(run, at(30));
  EXPECT_NE(text.find("attempt 0: failed\n"), std::string::npos) << text;
  EXPECT_NE(text.find(", ran 10.0 s\n  on n1, n2; head on n1\n  the job had been requeued 1 time before\n"
                      "  resumed from step 40; last step 57; 17 steps lost\n"
                      "  rank 1 on n1 was killed by signal 9 (KILL)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1     n1    33   signal 9 (KILL)"), std::string::npos) << text;
}

TEST(Description, ShowsWhatAFailureCost) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(2);
  run.status.attempts[1].number = 1;
  run.report = report_of(2);
  run.report->attempts[0].detected_after = std::chrono::milliseconds(47);
  const auto text = render_description(run, at(30));
  EXPECT_NE(text.find("recovery  2 attempts, 1 failure\nETTR      75 % effective training time\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("attempt 0: no end recorded\n  detected in 47 ms\n"), std::string::npos) << text;
  run.report = report_of(1);
  EXPECT_EQ(render_description(run, at(30)).find("recovery"), std::string::npos);
}

TEST(Description, SaysThatTheNewestAttemptRuns) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(2);
  run.status.attempts[1].number = 1;
  auto text = render_description(run, at(30));
  EXPECT_NE(text.find("attempt 0: no end recorded"), std::string::npos) << text;
  EXPECT_NE(text.find("attempt 1: running"), std::string::npos) << text;
  run.status.state = RunState::failed;
  text = render_description(run, at(30));
  EXPECT_NE(text.find("attempt 1: no end recorded"), std::string::npos) << text;
}

}  // namespace
}  // namespace ddp::cli
