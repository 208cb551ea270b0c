#include "cli/output/run_text.hpp"

#include <gtest/gtest.h>

#include "cli/output/live_text.hpp"

#include "tests/unit/cli/at.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

KnownRun make_run(RunState state) {
  KnownRun run;
  run.pointer = {.run_id = "job-1",
                 .name = "job",
                 .run_dir = "/runs/job-1",
                 .launcher = "local",
                 .job_id = {},
                 .created = at(0)};
  run.status.state = state;
  run.status.started = at(10);
  run.status.ended = at(22);
  return run;
}

TEST(Verdict, OfSuccessIsOneLine) {
  EXPECT_EQ(render_verdict(make_run(RunState::succeeded)), "run job-1 succeeded in 12.0 s\n");
}

TEST(Verdict, OfFailureNamesCauseTailAndNextCommand) {
  auto run = make_run(RunState::failed);
  run.status.message = "rank 2 on n1 was killed by signal 9 (KILL)";
  run.status.cause = Cause{.rank = 2,
                           .host = "n1",
                           .code = {},
                           .signal = 9,
                           .last_step = {},
                           .phase = {},
                           .stderr_tail = "first\nsecond",
                           .what = {}};
  EXPECT_EQ(render_verdict(run),
            "error: run job-1 failed: rank 2 on n1 was killed by signal 9 (KILL)\n"
            "   | first\n"
            "   | second\n"
            "  next: ddpsubmit logs job-1 --rank 2 --stderr\n");
}

TEST(Verdict, NamesNoCommandThatPrintsNothing) {
  auto run = make_run(RunState::failed);
  run.status.cause.emplace().rank = 1;
  EXPECT_NE(render_verdict(run).find("next: ddpsubmit describe job-1\n"), std::string::npos);
  run.cause_printed = true;
  EXPECT_NE(render_verdict(run).find("next: ddpsubmit logs job-1 --rank 1\n"), std::string::npos);
  run.status.cause->stderr_tail = "why";
  EXPECT_NE(render_verdict(run).find("next: ddpsubmit logs job-1 --rank 1 --stderr\n"), std::string::npos);
}

TEST(Verdict, WithoutCausePointsToTheDescription) {
  EXPECT_EQ(render_verdict(make_run(RunState::timed_out)),
            "error: run job-1 ran out of time\n"
            "  next: ddpsubmit describe job-1\n");
}

LatestCheckpoint checkpoint_at(std::uint64_t step) {
  return {.step = step, .folder = "/runs/job-1/checkpoints/c", .parameters = {}};
}

TEST(Verdict, OfATrainingSaysWhereItsParametersAre) {
  auto run = make_run(RunState::succeeded);
  run.checkpoint = checkpoint_at(40);
  EXPECT_EQ(render_verdict(run), "run job-1 succeeded in 12.0 s\n");
  run.checkpoint->parameters = run.checkpoint->folder / "model.safetensors";
  EXPECT_EQ(render_verdict(run),
            "run job-1 succeeded in 12.0 s\n"
            "  parameters: /runs/job-1/checkpoints/c/model.safetensors\n");
}

TEST(Verdict, OfATrainingThatCanGoOnNamesRerun) {
  for (const auto state : {RunState::cancelled, RunState::timed_out, RunState::preempted, RunState::failed}) {
    auto run = make_run(state);
    EXPECT_EQ(render_verdict(run).find("rerun"), std::string::npos) << "without a checkpoint";
    run.checkpoint = checkpoint_at(1200);
    const auto text = render_verdict(run);
    EXPECT_NE(text.find("  next: ddpsubmit rerun job-1 (goes on after step 1200)\n"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("next: ddpsubmit describe") != std::string::npos, state == RunState::failed) << text;
  }
}

TEST(Verdict, OfAConfigurationThatCannotBeSaysWhereToLook) {
  auto run = make_run(RunState::failed);
  run.checkpoint = checkpoint_at(1200);
  run.status.cause.emplace().code = 3;
  EXPECT_NE(render_verdict(run).find("  next: correct the cause (see " + run.pointer.run_dir +
                                     "/spec.yaml), then ddpsubmit rerun job-1 (goes on after step 1200)\n"),
            std::string::npos)
      << render_verdict(run);
}

TEST(Verdict, DoesNotNameRerunWhenTheCheckpointsCannotBeRead) {
  auto run = make_run(RunState::failed);
  run.checkpoint = checkpoint_at(1200);
  run.status.cause.emplace().code = 9;
  EXPECT_EQ(render_verdict(run).find("rerun"), std::string::npos);
}

TEST(Verdict, DoesNotSayTheStateTwice) {
  auto run = make_run(RunState::cancelled);
  run.status.message = "cancelled before it started";
  EXPECT_EQ(render_verdict(run),
            "error: run job-1 cancelled before it started\n"
            "  next: ddpsubmit describe job-1\n");
}

RunReport report_of(std::size_t attempts) {
  RunReport report;
  for (std::size_t number = 0; number < attempts; ++number)
    report.attempts.push_back({.number = static_cast<int>(number), .outcome = {}});
  report.failures = static_cast<int>(attempts) - 1;
  report.trained = seconds(75);
  report.wall_clock = seconds(100);
  return report;
}

TEST(Verdict, OfARunThatWasRestartedSaysWhatThatCost) {
  auto run = make_run(RunState::succeeded);
  run.report = report_of(2);
  EXPECT_EQ(render_verdict(run),
            "run job-1 succeeded in 12.0 s\n"
            "  recovery: 2 attempts, 1 failure; effective training time 75 %\n");
  run.status.state = RunState::failed;
  EXPECT_EQ(render_verdict(run),
            "error: run job-1 failed\n"
            "  recovery: 2 attempts, 1 failure; effective training time 75 %\n"
            "  next: ddpsubmit describe job-1\n");
}

TEST(Verdict, OfARunWithOneAttemptSaysNothingOfRecovery) {
  auto run = make_run(RunState::succeeded);
  run.report = report_of(1);
  EXPECT_EQ(render_verdict(run), "run job-1 succeeded in 12.0 s\n");
}

TEST(RunList, HasOneRowARun) {
  auto run = make_run(RunState::running);
  run.pointer.job_id = "77";
  EXPECT_EQ(render_run_list({run}, at(120)),
            "RUN    NAME  LAUNCHER  STATE    AGE    JOB\n"
            "job-1  job   local     running  2 min  77\n");
}

TEST(RunStates, CountTheTimeOfARunThatGoesOn) {
  auto run = make_run(RunState::running);
  run.status.ended = std::nullopt;
  run.status.message = "why";
  EXPECT_EQ(render_run_states({run}, at(15)), "job-1  running  5.0 s  why\n");
  run.status.started = std::nullopt;
  EXPECT_EQ(render_run_states({run}, at(15)), "job-1  running  -  why\n");
}

TEST(RunStates, ShowNoTimeOfARunWhoseEndNobodyKnows) {
  auto run = make_run(RunState::failed);
  run.status.ended = std::nullopt;
  EXPECT_EQ(render_run_states({run}, at(15)), "job-1  failed  -\n");
  EXPECT_NE(render_description(run, at(15)).find("ran         -\n"), std::string::npos);
}

TEST(RunStates, TellHowFarATrainingIs) {
  auto run = make_run(RunState::running);
  run.progress = TrainingProgress{.kind = "train", .step = 1200, .epoch = 3, .loss = 0.04213};
  EXPECT_EQ(render_run_states({run}, at(22)), "job-1  running  12.0 s  step 1200, epoch 3, loss 0.0421\n");
  run.progress->kind = "evaluate";
  run.status.message = "why";
  EXPECT_EQ(render_run_states({run}, at(22)),
            "job-1  running  12.0 s  why; step 1200, epoch 3, test loss 0.0421\n");
  run.progress->loss = std::nullopt;
  EXPECT_NE(render_description(run, at(22)).find("progress    step 1200, epoch 3\n"), std::string::npos);
}

LiveRecord live_record() {
  LiveRecord live;
  live.total_steps = 900;
  live.seconds_per_step = 0.5;
  live.summary.ranks = 4;
  live.summary.median_step = 100;
  live.summary.phases = {{"step", 4}};
  return live;
}

TEST(RunStates, TellWhatTheRanksSayNow) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(1);
  run.live = live_record();
  EXPECT_EQ(render_run_states({run}, at(22)),
            "job-1  running  12.0 s  step 100 of 900; about 6 min 40 s left\n");
  run.progress = TrainingProgress{.kind = "train", .step = 90, .loss = 0.5};
  run.live->summary.phases = {{"step", 3}, {"evaluate", 1}};
  EXPECT_EQ(render_run_states({run}, at(22)),
            "job-1  running  12.0 s  step 100 of 900 (loss 0.5000 at step 90); about 6 min 40 s left; 1 of 4 "
            "ranks in 'evaluate'\n");
  run.live->summary.phases = {{"download", 4}};
  run.live->total_steps.reset();
  EXPECT_EQ(render_run_states({run}, at(22)),
            "job-1  running  12.0 s  step 100 (loss 0.5000 at step 90); in 'download'\n");
}

TEST(RunStates, NameTheRankThatIsFarBehindTheOthers) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(1);
  run.live = live_record();
  run.live->total_steps.reset();
  const auto said = [&](std::uint64_t step, Phase phase, double seconds_per_step) {
    run.live->seconds_per_step = seconds_per_step;
    run.live->ranks.resize(4);
    for (int rank = 0; rank < 4; ++rank) {
      auto& live = run.live->ranks[static_cast<std::size_t>(rank)];
      live.rank = rank;
      live.host = "node2";
      live.phase = phase;
      live.step = rank == 3 ? step : 100;
    }
    return render_live(*run.live, 100);
  };
  EXPECT_EQ(said(80, Phase::step, 0.5), "rank 3 on node2 is 20 steps behind the others");
  EXPECT_EQ(said(81, Phase::step, 0.5), "");
  EXPECT_EQ(said(99, Phase::step, 60), "");
  EXPECT_EQ(said(80, Phase::evaluate, 0.5), "");
  EXPECT_EQ(said(120, Phase::step, 0.5), "");
}

TEST(RunStates, TellTheTotalOfARunThatHasEnded) {
  auto run = make_run(RunState::cancelled);
  run.status.attempts.resize(1);
  run.progress = TrainingProgress{.kind = "train", .step = 90, .total_steps = 900, .loss = 0.5};
  EXPECT_EQ(render_run_states({run}, at(22)), "job-1  cancelled  12.0 s  step 90 of 900, loss 0.5000\n");
}

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
  EXPECT_NE(text.find("command    python3 train.py --name 'a b'\n"
                      "resources  2 nodes, on each 4 ranks and 1 GPU; 8 CPUs a rank\n"
                      "limit      1 h 0 min\n"
                      "commit     aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, branch main\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("output     /runs/job-1/output\n"), std::string::npos) << text;
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
  attempt.ended = at(25);
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
  EXPECT_NE(text.find("attempt 0: failed, head on n1"), std::string::npos) << text;
  EXPECT_NE(
      text.find("  ended 1970-01-01T00:00:25.000Z\n  on n1, n2\n  the job had been requeued 1×\n"
                "  resumed after step 40\n  last step 57\n  rank 1 on n1 was killed by signal 9 (KILL)\n"),
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
  EXPECT_NE(text.find("recovery    2 attempts, 1 failure\nETTR        75 % effective training time\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("attempt 0: no end recorded, head on -, started -\n  detected in 47 ms\n"),
            std::string::npos)
      << text;
  run.report = report_of(1);
  EXPECT_EQ(render_description(run, at(30)).find("recovery"), std::string::npos);
}

TEST(RunStates, SayWhenARunThatWaitsIsExpectedToStart) {
  auto run = make_run(RunState::queued);
  run.status.started = run.status.ended = std::nullopt;
  run.status.message = "why";
  run.status.expected_start = at(75);
  const auto text = render_run_states({run}, at(15));
  EXPECT_NE(text.find("why; expected to start at "), std::string::npos) << text;
  EXPECT_NE(text.find(", in 1 min\n"), std::string::npos) << text;
  EXPECT_EQ(render_run_states({run}, at(75)), "job-1  queued  -  why\n") << "its time has come";
}

TEST(RunStates, NameTheAttemptAfterTheFirst) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(2);
  run.status.attempts[1].number = 1;
  EXPECT_EQ(render_run_states({run}, at(15)), "job-1  running  12.0 s  attempt 1\n");
  run.status.attempts[1].resumed_from = 40;
  EXPECT_EQ(render_run_states({run}, at(15)), "job-1  running  12.0 s  attempt 1 after step 40\n");
}

TEST(RunStates, KeepTheProgressOfAnEarlierAttemptAndSayWhose) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(2);
  run.status.attempts[1].number = 1;
  run.progress = TrainingProgress{.kind = "train", .attempt = 0, .step = 50, .epoch = 1, .loss = 0.5};
  EXPECT_EQ(render_run_states({run}, at(15)),
            "job-1  running  12.0 s  attempt 1; step 50, epoch 1, loss 0.5000 in attempt 0\n");
  run.progress->attempt = 1;
  EXPECT_EQ(render_run_states({run}, at(15)),
            "job-1  running  12.0 s  attempt 1; step 50, epoch 1, loss 0.5000\n");
}

TEST(RunStates, TellTheLastStepOfAnAttemptThatLoggedNone) {
  auto run = make_run(RunState::cancelled);
  run.status.attempts.resize(2);
  run.status.attempts[0].last_step = 57;
  run.status.attempts[1].number = 1;
  run.status.attempts[1].last_step = 12;
  run.progress = TrainingProgress{.kind = "train", .attempt = 0, .step = 50, .epoch = 1, .loss = 0.5};
  EXPECT_EQ(render_run_states({run}, at(15)), "job-1  cancelled  12.0 s  attempt 1; step 12\n");
}

TEST(RunStates, TellTheLastStepThatWasDoneFromTheLastThatWasLogged) {
  auto run = make_run(RunState::cancelled);
  run.status.attempts.resize(1);
  run.status.attempts[0].last_step = 57;
  run.progress = TrainingProgress{.kind = "train", .step = 50, .epoch = 1, .loss = 0.5};
  EXPECT_EQ(render_run_states({run}, at(15)),
            "job-1  cancelled  12.0 s  step 57 (epoch 1, loss 0.5000 at step 50)\n");
  run.status.attempts[0].last_step = 50;
  EXPECT_EQ(render_run_states({run}, at(15)), "job-1  cancelled  12.0 s  step 50, epoch 1, loss 0.5000\n");
}

TEST(RunStates, OfARunThatWaitsSayForHowLong) {
  auto run = make_run(RunState::queued);
  run.status.submitted = at(5);
  run.status.started = run.status.ended = std::nullopt;
  EXPECT_EQ(render_run_states({run}, at(15)), "job-1  queued  waits 10 s\n");
  run.status.started = at(10);
  run.status.attempts.resize(1);
  run.status.attempts[0].started = at(10);
  run.status.attempts[0].ended = at(12);
  EXPECT_EQ(render_run_states({run}, at(15)), "job-1  queued  ran 2.0 s, waits again\n");
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
