#include "cli/output/run/verdict.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cli/output/run/known_runs.hpp"

namespace ddp::cli {
namespace {

TEST(Verdict, OfSuccessIsOneLine) {
  EXPECT_EQ(render_verdict(make_run(RunState::succeeded)), "run job-1 succeeded in 12.0 s\n");
  auto run = make_run(RunState::succeeded);
  run.event_files = "/runs/job-1/tensorboard";
  EXPECT_EQ(render_verdict(run),
            "run job-1 succeeded in 12.0 s\n  tensorboard: tensorboard --logdir /runs/job-1/tensorboard\n");
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
            "  last lines of rank 2 on stderr:\n"
            "   | first\n"
            "   | second\n"
            "  next: ddpsubmit logs job-1 --rank 2 --stderr (all of the stderr of rank 2)\n");
}

TEST(Verdict, OfARankThatOthersKilledNamesTheLikelyCause) {
  auto run = make_run(RunState::failed);
  auto& cause = run.status.cause.emplace();
  cause.rank = 2;
  cause.signal = 9;
  cause.what = "was killed by signal 9 (KILL)";
  cause.stderr_tail = "step 7\n";
  EXPECT_EQ(render_verdict(run),
            "error: run job-1 failed\n"
            "  likely cause: the host or the job ran out of memory, or somebody killed the process\n"
            "  last lines of rank 2 on stderr:\n"
            "   | step 7\n"
            "  next: ddpsubmit logs job-1 --rank 2 --stderr (all of the stderr of rank 2)\n");
  cause.what = "did not end in time";
  EXPECT_EQ(render_verdict(run).find("likely cause"), std::string::npos) << "ddpsubmit has killed it";
}

TEST(Verdict, DoesNotRepeatLinesThatHaveJustBeenShown) {
  auto run = make_run(RunState::failed);
  run.status.message = "rank 1 on n1 ended with exit code 1";
  auto& cause = run.status.cause.emplace();
  cause.rank = 1;
  cause.code = 1;
  cause.stderr_tail = "Traceback (most recent call last):\n  File \"a.py\"\nValueError: shard 1\n";
  run.stderr_shown = true;
  EXPECT_EQ(render_verdict(run),
            "error: run job-1 failed: rank 1 on n1 ended with exit code 1\n"
            "  likely cause: ValueError: shard 1\n"
            "  next: ddpsubmit logs job-1 --rank 1 --stderr (all of the stderr of rank 1)\n");
}

TEST(Verdict, HasALineForEachSentence) {
  auto run = make_run(RunState::failed);
  run.status.message = "rank 2 of 3.5 ended. Not restarted: it failed twice. First failure: rank 1 ended";
  EXPECT_EQ(render_verdict(run),
            "error: run job-1 failed: rank 2 of 3.5 ended\n"
            "  Not restarted: it failed twice\n"
            "  First failure: rank 1 ended\n"
            "  next: ddpsubmit describe job-1 (all that is known of the run)\n");
  run.status.attempts.resize(2);
  EXPECT_TRUE(render_verdict(run).ends_with("  next: correct the cause, then ddpsubmit rerun job-1\n"))
      << render_verdict(run);
}

TEST(Verdict, NamesNoCommandThatPrintsNothing) {
  auto run = make_run(RunState::failed);
  run.status.cause.emplace().rank = 1;
  EXPECT_NE(render_verdict(run).find("next: ddpsubmit describe job-1 (all that is known of the run)\n"),
            std::string::npos);
  run.cause_printed = true;
  EXPECT_NE(render_verdict(run).find("next: ddpsubmit logs job-1 --rank 1 (what rank 1 printed)\n"),
            std::string::npos);
  run.status.cause->stderr_tail = "why";
  EXPECT_NE(render_verdict(run).find(
                "next: ddpsubmit logs job-1 --rank 1 --stderr (all of the stderr of rank 1)\n"),
            std::string::npos);
}

TEST(Verdict, WithoutCausePointsToTheDescription) {
  EXPECT_EQ(render_verdict(make_run(RunState::timed_out)),
            "error: run job-1 reached its time limit\n"
            "  next: ddpsubmit describe job-1 (all that is known of the run)\n");
}

TEST(Verdict, OfATrainingSaysWhereItsParametersAre) {
  auto run = make_run(RunState::succeeded);
  run.checkpoint = checkpoint_at(40);
  EXPECT_EQ(render_verdict(run), "run job-1 succeeded in 12.0 s\n");
  run.checkpoint->parameters = run.checkpoint->folder / "model.safetensors";
  EXPECT_EQ(render_verdict(run),
            "run job-1 succeeded in 12.0 s\n"
            "  parameters: /runs/job-1/checkpoints/c/model.safetensors\n");
  run.checkpoint->parameters.reset();
  run.checkpoint->is_sharded = true;
  EXPECT_EQ(
      render_verdict(run),
      "run job-1 succeeded in 12.0 s\n"
      "  parameters: /runs/job-1/checkpoints/c, one part of each rank\n"
      "  next: ddpsubmit checkpoint merge job-1 --output model.safetensors (one file of all parameters)\n");
}

TEST(Verdict, OfATrainingThatCanResumeNamesRerun) {
  for (const auto state : {RunState::cancelled, RunState::timed_out, RunState::preempted, RunState::failed}) {
    auto run = make_run(state);
    EXPECT_EQ(render_verdict(run).find("rerun"), std::string::npos) << "without a checkpoint";
    run.checkpoint = checkpoint_at(1200);
    const auto text = render_verdict(run);
    EXPECT_NE(text.find("  next: ddpsubmit rerun job-1 (resumes from step 1200)\n"), std::string::npos)
        << text;
    EXPECT_EQ(text.find("next: ddpsubmit describe") != std::string::npos, state == RunState::failed) << text;
  }
}

TEST(Verdict, OfAConfigurationThatCannotBeSaysWhereToLook) {
  auto run = make_run(RunState::failed);
  run.checkpoint = checkpoint_at(1200);
  run.status.cause.emplace().code = 3;
  EXPECT_NE(render_verdict(run).find("  next: correct the cause (see " + run.pointer.run_dir +
                                     "/spec.yaml), then ddpsubmit rerun job-1 (resumes from step 1200)\n"),
            std::string::npos)
      << render_verdict(run);
}

TEST(Verdict, DoesNotNameRerunWhenTheCheckpointsCannotBeRead) {
  auto run = make_run(RunState::failed);
  run.checkpoint = checkpoint_at(1200);
  run.status.cause.emplace().code = 9;
  EXPECT_EQ(render_verdict(run).find("rerun"), std::string::npos);
}

TEST(Verdict, OfASweepNamesWhatShowsItsResults) {
  auto sweep = make_run(RunState::succeeded);
  sweep.status.message = "2 succeeded";
  sweep.sweep.emplace();
  sweep.points = {make_run(RunState::succeeded), make_run(RunState::succeeded)};
  const std::string results =
      "  next: ddpsubmit report job-1 (a page with the curves and results of all points)\n"
      "  next: ddpsubmit compare job-1 (a table of the points: what differs, and the last metrics)\n";
  EXPECT_EQ(render_verdict(sweep), "sweep job-1 succeeded in 12.0 s: 2 succeeded\n" + results);
  sweep.points[1].status.state = RunState::failed;
  EXPECT_EQ(render_verdict(sweep).find("report"), std::string::npos) << "one point has results";
}

TEST(Verdict, OfATimeLimitSaysSoOnce) {
  auto run = make_run(RunState::timed_out);
  run.status.message = "the time limit was reached; the ranks were stopped";
  EXPECT_TRUE(
      render_verdict(run).starts_with("error: run job-1 reached its time limit; the ranks were stopped\n"))
      << render_verdict(run);
}

TEST(Verdict, DoesNotSayTheStateTwice) {
  auto run = make_run(RunState::cancelled);
  run.status.message = "cancelled before it started";
  EXPECT_EQ(render_verdict(run),
            "error: run job-1 was cancelled before it started\n"
            "  next: ddpsubmit describe job-1 (all that is known of the run)\n");
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
            "  next: ddpsubmit describe job-1 (all that is known of the run)\n");
}

TEST(Verdict, OfARunWithOneAttemptSaysNothingOfRecovery) {
  auto run = make_run(RunState::succeeded);
  run.report = report_of(1);
  EXPECT_EQ(render_verdict(run), "run job-1 succeeded in 12.0 s\n");
}

}  // namespace
}  // namespace ddp::cli
