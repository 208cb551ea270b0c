#include "cli/output/run/description.hpp"

#include <gtest/gtest.h>

#include "cli/output/run/attempt_text.hpp"
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

TEST(Description, SaysHowEachRankEnded) {
  auto run = make_run(RunState::failed);
  auto& attempt = run.status.attempts.emplace_back();
  attempt.cause = Cause{.rank = 1};
  for (const char* ended_by : {"agent", "itself", "itself", "itself", ""}) {
    RankStatus rank;
    rank.rank = static_cast<int>(attempt.ranks.size());
    rank.ended_by = ended_by;
    attempt.ranks.push_back(rank);
  }
  attempt.ranks[3].signal = 11;
  const auto end_of = [&](std::size_t rank) { return render_rank_end(run, attempt, attempt.ranks[rank]); };
  EXPECT_EQ(end_of(0), "stopped by ddpsubmit");
  EXPECT_EQ(end_of(1), "failed first");
  EXPECT_EQ(end_of(2), "by itself");
  EXPECT_EQ(end_of(3), "by the signal");
  EXPECT_EQ(end_of(4), "");
  attempt.cause->rank = 0;
  EXPECT_EQ(end_of(0), "failed first, and was stopped") << "a rank that hangs";
  attempt.cause.reset();
  run.status.cause = Cause{.rank = 2};
  EXPECT_EQ(end_of(2), "failed first");
}

TEST(Description, OfAFailureHasShortLines) {
  auto run = make_run(RunState::failed);
  run.status.message = "rank 1 on n1 ended with exit code 1. Not restarted: it failed twice";
  run.status.cause = Cause{.rank = 1, .code = 1, .stderr_tail = "loading\nValueError: shard 1\n"};
  auto& first = run.status.attempts.emplace_back();
  first.outcome = "failed";
  first.message = "rank 0 on n1 ended with exit code 1";
  first.likely_cause = "ValueError: shard 0";
  auto& second = run.status.attempts.emplace_back();
  second.number = 1;
  second.outcome = "failed";
  second.message = "rank 1 on n1 ended with exit code 1";
  const auto text = render_description(run, at(30));
  EXPECT_NE(text.find("reason        rank 1 on n1 ended with exit code 1\n"
                      "              Not restarted: it failed twice\n"
                      "likely cause  ValueError: shard 1\n"
                      "next          ddpsubmit logs job-1 --rank 1 --stderr (all of the stderr of rank 1)\n"
                      "              correct the cause, then ddpsubmit rerun job-1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("attempt 0: failed\n"
                      "  rank 0 on n1 ended with exit code 1\n"
                      "  likely cause: ValueError: shard 0\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("attempt 1: failed\n")) << text;
}

TEST(Description, ShowsTheRanksAsFarAsTheRun) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(1);
  run.status.attempts[0].ranks.resize(2);
  run.status.attempts[0].ranks[1].rank = 1;
  run.live = live_record();
  for (const int rank : {0, 1})
    run.live->ranks.push_back({.rank = rank,
                               .host = "n1",
                               .phase = Phase::step,
                               .step = rank == 0 ? 100 : 60,
                               .cpu_percent = {},
                               .memory_bytes = 0,
                               .process = "running"});
  run.progress = TrainingProgress{.kind = "train", .step = 150, .loss = 0.5};
  fill_in_live_ranks(run);
  EXPECT_EQ(run.status.attempts[0].ranks[0].last_step, 150);
  EXPECT_EQ(run.status.attempts[0].ranks[1].last_step, 110) << "as far behind as it was";
  run.progress->step = 90;
  fill_in_live_ranks(run);
  EXPECT_EQ(run.status.attempts[0].ranks[0].last_step, 100);
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
