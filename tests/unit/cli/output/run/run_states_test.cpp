#include "cli/output/run/run_states.hpp"

#include <gtest/gtest.h>

#include "cli/output/run/live_text.hpp"

#include "tests/unit/cli/output/run/known_runs.hpp"

namespace ddp::cli {
namespace {

/// What stands below the headline.
std::string row_of(const KnownRun& run, std::chrono::system_clock::time_point now) {
  const auto text = render_run_states({run}, now);
  return text.substr(text.find('\n') + 1);
}

TEST(RunStates, HaveAHeadline) {
  EXPECT_EQ(render_run_states({make_run(RunState::running)}, at(15)),
            "RUN    STATE    TIME    DETAILS\n"
            "job-1  running  12.0 s\n");
}

TEST(RunStates, CountTheTimeOfARunThatGoesOn) {
  auto run = make_run(RunState::running);
  run.status.ended = std::nullopt;
  run.status.message = "why";
  EXPECT_EQ(row_of(run, at(15)), "job-1  running  5.0 s  why\n");
  run.status.started = std::nullopt;
  EXPECT_EQ(row_of(run, at(15)), "job-1  running  -     why\n");
}

TEST(RunStates, ShowNoTimeOfARunWhoseEndNobodyKnows) {
  auto run = make_run(RunState::failed);
  run.status.ended = std::nullopt;
  EXPECT_EQ(row_of(run, at(15)),
            "job-1  failed  -\n"
            "                     next: ddpsubmit describe job-1 (all that is known of the run)\n");
}

TEST(RunStates, OfAFailureTellCauseAndNextStepInShortLines) {
  auto run = make_run(RunState::failed);
  run.status.message = "rank 1 on n1 ended with exit code 1. Not restarted: it failed twice";
  run.status.attempts.resize(2);
  auto& cause = run.status.cause.emplace();
  cause.rank = 1;
  cause.code = 1;
  cause.stderr_tail = "loading\nValueError: shard 1\n";
  EXPECT_EQ(
      row_of(run, at(15)),
      "job-1  failed  12.0 s  rank 1 on n1 ended with exit code 1\n"
      "                       likely cause: ValueError: shard 1\n"
      "                       Not restarted: it failed twice\n"
      "                       next: ddpsubmit logs job-1 --rank 1 --stderr (all of the stderr of rank 1)\n"
      "                       next: correct the cause, then ddpsubmit rerun job-1\n");
  EXPECT_EQ(render_run_states({run, run}, at(15)).find("next: "), std::string::npos) << "one of several";
}

TEST(RunStates, TellHowFarATrainingIs) {
  auto run = make_run(RunState::running);
  run.progress = TrainingProgress{.kind = "train", .step = 1200, .epoch = 3, .loss = 0.04213};
  EXPECT_EQ(row_of(run, at(22)), "job-1  running  12.0 s  step 1200, epoch 3, loss 0.04213\n");
  run.progress->kind = "evaluate";
  run.status.message = "why";
  EXPECT_EQ(row_of(run, at(22)), "job-1  running  12.0 s  why; step 1200, epoch 3, test loss 0.04213\n");
  run.progress->metrics = {{"loss", {0.04213, 1100, "train"}}};
  run.progress->kind = "train";
  EXPECT_EQ(row_of(run, at(22)),
            "job-1  running  12.0 s  why; step 1200 (epoch 3, loss 0.04213 at step 1100)\n");
  run.progress->loss = std::nullopt;
  run.progress->metrics.clear();
  EXPECT_EQ(row_of(run, at(22)), "job-1  running  12.0 s  why; step 1200, epoch 3\n");
}

TEST(RunStates, TellWhatTheRanksSayNow) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(1);
  run.live = live_record();
  EXPECT_EQ(row_of(run, at(22)), "job-1  running  12.0 s  step 100 of 900; about 6 min left\n");
  run.progress = TrainingProgress{.kind = "train", .step = 90, .loss = 0.5};
  run.live->summary.phases = {{"step", 3}, {"evaluate", 1}};
  EXPECT_EQ(row_of(run, at(22)),
            "job-1  running  12.0 s  step 100 of 900 (loss 0.5000 at step 90); about 6 min left; 1 of 4 "
            "ranks in 'evaluate'\n");
  run.live->summary.phases = {{"download", 4}};
  run.live->total_steps.reset();
  EXPECT_EQ(row_of(run, at(22)),
            "job-1  running  12.0 s  step 100 (loss 0.5000 at step 90); in 'download'\n");
}

TEST(RunStates, SayWhetherTheTimeLimitComesFirst) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(1);
  run.live = live_record();
  run.live->job_end = at(22 + 7200);
  EXPECT_EQ(row_of(run, at(22)),
            "job-1  running  12.0 s  step 100 of 900; about 6 min left; time limit in 2 h\n");
  run.live->job_end = at(22 + 300);
  EXPECT_EQ(render_live(run, at(22)), "about 6 min left; will not finish before the time limit in 5 min");
  run.requeued_at_limit = true;
  EXPECT_EQ(render_live(run, at(22)),
            "about 6 min left; will not finish before the time limit in 5 min, when the job is "
            "requeued and resumes");
  run.live->total_steps.reset();
  EXPECT_EQ(render_live(run, at(22)), "time limit in 5 min");
  EXPECT_EQ(render_live(run, at(22 + 300)), "") << "it is over";
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
    return render_live(run, at(22));
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
  EXPECT_EQ(row_of(run, at(22)), "job-1  cancelled  12.0 s  step 90 of 900, loss 0.5000\n");
}

TEST(RunStates, SayWhenARunThatWaitsIsExpectedToStart) {
  auto run = make_run(RunState::queued);
  run.status.started = run.status.ended = std::nullopt;
  run.status.message = "why";
  run.status.expected_start = at(75);
  const auto text = render_run_states({run}, at(15));
  EXPECT_NE(text.find("why; expected to start at "), std::string::npos) << text;
  EXPECT_NE(text.find(", in 1 min\n"), std::string::npos) << text;
  EXPECT_EQ(row_of(run, at(75)), "job-1  queued  -     why\n") << "its time has come";
}

TEST(RunStates, DoNotSayTheStepTwice) {
  auto run = make_run(RunState::succeeded);
  run.status.attempts.resize(1);
  run.progress = TrainingProgress{.kind = "train", .step = 90, .total_steps = 90, .epoch = 2, .loss = 0.5};
  run.status.message = "2 ranks finished at step 90";
  EXPECT_EQ(row_of(run, at(22)),
            "job-1  succeeded  12.0 s  2 ranks finished at step 90; epoch 2, loss 0.5000\n");
  run.status.message = "2 ranks finished at step 90, 1 restart";
  EXPECT_NE(row_of(run, at(22)).find(", 1 restart; epoch 2, loss 0.5000\n"), std::string::npos);
  run.status.message = "2 ranks finished at step 900";
  EXPECT_NE(row_of(run, at(22)).find("; step 90 of 90, epoch 2"), std::string::npos);
  run.status.attempts[0].last_step = 95;
  run.status.message = "cancelled at step 95";
  EXPECT_EQ(row_of(run, at(22)),
            "job-1  succeeded  12.0 s  cancelled at step 95; epoch 2, loss 0.5000 at step 90\n");
  run.status.message = "rank 1 ended in step 96";
  EXPECT_EQ(row_of(run, at(22)),
            "job-1  succeeded  12.0 s  rank 1 ended in step 96; epoch 2, loss 0.5000 at step 90\n");
  run.status.attempts.clear();
  run.status.message = "2 ranks finished at step 9";
  EXPECT_NE(row_of(run, at(22)).find("; step 90 of 90, epoch 2"), std::string::npos);
}

TEST(RunStates, NameTheAttemptAfterTheFirst) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(2);
  run.status.attempts[1].number = 1;
  EXPECT_EQ(row_of(run, at(15)), "job-1  running  12.0 s  attempt 1\n");
  run.status.attempts[1].resumed_from = 40;
  EXPECT_EQ(row_of(run, at(15)), "job-1  running  12.0 s  attempt 1, resumed from step 40\n");
}

TEST(RunStates, KeepTheProgressOfAnEarlierAttemptAndSayWhose) {
  auto run = make_run(RunState::running);
  run.status.attempts.resize(2);
  run.status.attempts[1].number = 1;
  run.progress = TrainingProgress{.kind = "train", .attempt = 0, .step = 50, .epoch = 1, .loss = 0.5};
  EXPECT_EQ(row_of(run, at(15)),
            "job-1  running  12.0 s  attempt 1; step 50, epoch 1, loss 0.5000 in attempt 0\n");
  run.progress->attempt = 1;
  EXPECT_EQ(row_of(run, at(15)), "job-1  running  12.0 s  attempt 1; step 50, epoch 1, loss 0.5000\n");
}

TEST(RunStates, TellTheLastStepOfAnAttemptThatLoggedNone) {
  auto run = make_run(RunState::cancelled);
  run.status.attempts.resize(2);
  run.status.attempts[0].last_step = 57;
  run.status.attempts[1].number = 1;
  run.status.attempts[1].last_step = 12;
  run.progress = TrainingProgress{.kind = "train", .attempt = 0, .step = 50, .epoch = 1, .loss = 0.5};
  EXPECT_EQ(row_of(run, at(15)), "job-1  cancelled  12.0 s  step 12\n");
}

TEST(RunStates, TellTheLastStepThatWasDoneFromTheLastThatWasLogged) {
  auto run = make_run(RunState::cancelled);
  run.status.attempts.resize(1);
  run.status.attempts[0].last_step = 57;
  run.progress = TrainingProgress{.kind = "train", .step = 50, .epoch = 1, .loss = 0.5};
  EXPECT_EQ(row_of(run, at(15)), "job-1  cancelled  12.0 s  step 57 (epoch 1, loss 0.5000 at step 50)\n");
  run.status.attempts[0].last_step = 50;
  EXPECT_EQ(row_of(run, at(15)), "job-1  cancelled  12.0 s  step 50, epoch 1, loss 0.5000\n");
}

TEST(RunStates, OfARunThatWaitsSayForHowLong) {
  auto run = make_run(RunState::queued);
  run.status.submitted = at(5);
  run.status.started = run.status.ended = std::nullopt;
  EXPECT_EQ(row_of(run, at(15)), "job-1  queued  waiting for 10 s\n");
  run.status.started = at(10);
  run.status.attempts.resize(1);
  run.status.attempts[0].started = at(10);
  run.status.attempts[0].ended = at(12);
  EXPECT_EQ(row_of(run, at(15)), "job-1  queued  ran 2.0 s, waiting again\n");
}

}  // namespace
}  // namespace ddp::cli
