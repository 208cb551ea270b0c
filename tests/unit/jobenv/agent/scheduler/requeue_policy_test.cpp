#include "jobenv/agent/scheduler/requeue_policy.hpp"
#include "tests/support/use_launcher.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace ddp::agent {
namespace {

class RequeuePolicy : public testing::Test {
 protected:
  RequeuePolicy() {
    use_launcher(plan, "slurm");
    plan.stop_signal = "USR2";
    plan.requeue = true;
    plan.signal_lead = std::chrono::seconds(60);
    end.state = RunState::timed_out;
    end.message = "the time limit was reached";
    end.stop_signal = SIGUSR2;
    context.fate = JobFate::running;
    context.resumes_after = 100;
  }
  RequeueDecision decide() const { return decide_requeue(end, plan, context); }
  RequeueStep step() const { return decide().step; }
  /// What is added to the end's words.
  std::string remark() const { return decide().end.message.substr(end.message.size()); }

  LaunchPlan plan;
  RunEnd end;
  RequeueContext context;
};

TEST_F(RequeuePolicy, RequeuesAfterTheSignalThatAnnouncesTheTimeLimit) {
  EXPECT_TRUE(may_go_on(end, plan));
  EXPECT_EQ(step(), RequeueStep::requeue);
  EXPECT_EQ(decide().reason, StopReason::time_limit);
  end.stop_signal = SIGTERM;
  EXPECT_EQ(step(), RequeueStep::end) << "Slurm's own end of the time";
}

TEST_F(RequeuePolicy, WithoutACancelItWouldHaveGoneOn) {
  EXPECT_TRUE(would_go_on(end, plan, false));
  end.state = RunState::failed;
  EXPECT_FALSE(would_go_on(end, plan, true)) << "a failure of its own";
  end.agent_lost = true;
  EXPECT_FALSE(would_go_on(end, plan, false));
  EXPECT_TRUE(would_go_on(end, plan, true));
  end.agent_lost = false;
  end.taken_back = true;
  EXPECT_TRUE(would_go_on(end, plan, false));
  plan.requeue = false;
  EXPECT_FALSE(would_go_on(end, plan, false));
}

TEST_F(RequeuePolicy, NeverForACancelledJob) {
  context.fate = JobFate::ending;
  EXPECT_EQ(step(), RequeueStep::end);
  EXPECT_EQ(decide().end.state, RunState::cancelled);
  context.fate = JobFate::running;
  context.terminated = true;
  EXPECT_EQ(decide().end.state, RunState::cancelled);
  context.time_is_over = true;
  EXPECT_EQ(decide().end.state, RunState::timed_out);
  EXPECT_EQ(remark(), ". Not requeued: the time limit had passed");
}

TEST_F(RequeuePolicy, NotWithoutAnAnswerOfSlurm) {
  context.fate = JobFate::unknown;
  EXPECT_EQ(step(), RequeueStep::end);
  EXPECT_EQ(remark(), ". Not requeued: Slurm does not answer");
}

TEST_F(RequeuePolicy, NotAfterAStopSignalLongBeforeTheEndThatSlurmTells) {
  context.end_is_near = false;
  EXPECT_EQ(step(), RequeueStep::end);
  EXPECT_EQ(remark(), ". Not requeued: the stop signal did not come from the time limit, which is not near");
}

TEST_F(RequeuePolicy, WithinMaxRequeues) {
  context.earlier_requeues = 1000;
  EXPECT_EQ(step(), RequeueStep::requeue) << "no limit while steps advance";
  plan.max_requeues = 2;
  EXPECT_EQ(remark(), ". Not requeued: fault_tolerance.max_requeues (2) is reached");
  EXPECT_EQ(decide().end.state, RunState::timed_out);
  context.earlier_requeues = 1;
  EXPECT_EQ(step(), RequeueStep::requeue);
  plan.max_requeues = 0;
  context.earlier_requeues = 0;
  EXPECT_EQ(step(), RequeueStep::end);
}

TEST_F(RequeuePolicy, OnlyWhenTheTrainerCanGoOnFartherThanThisStartDid) {
  context.began_after = 100;
  EXPECT_EQ(
      remark(),
      ". Not requeued: no checkpoint was written since this start of the job, which resumed from step 100");
  plan.resumes = false;
  EXPECT_EQ(
      remark(),
      ". Not requeued: train.checkpoint.resume is 'never': the training would start from the beginning");
  plan.program = ProgramKind::command;
  EXPECT_EQ(step(), RequeueStep::requeue) << "it tells no steps";
  end.last_step = 100;
  EXPECT_EQ(remark(),
            ". Not requeued: no step was finished since this start of the job, which resumed from step 100");
  end.last_step = 101;
  EXPECT_EQ(step(), RequeueStep::requeue);
}

TEST_F(RequeuePolicy, NotAfterTwoAttemptsThatDiedOfTheStopSignalAndReportedNoStep) {
  plan.program = ProgramKind::command;
  EXPECT_EQ(warn_of_unhandled_signal(end, context), "");
  end.unhandled_signal = "USR1";
  EXPECT_EQ(step(), RequeueStep::requeue) << "it reports steps";
  EXPECT_EQ(warn_of_unhandled_signal(end, context),
            "all ranks died of USR1, for which the program has no handler, and saved nothing at the stop");
  context.futile_attempts = 1;
  EXPECT_EQ(step(), RequeueStep::requeue);
  EXPECT_EQ(warn_of_unhandled_signal(end, context),
            "all ranks died of USR1, for which the program has no handler, and saved nothing at the stop; if "
            "this happens again, the run ends");
  context.futile_attempts = 2;
  EXPECT_EQ(remark(),
            ". Not requeued: the attempt before ended in the same way, and neither reported a step, so the "
            "program seems to begin anew each time; save a checkpoint and exit at USR1, or call "
            "should_stop() (docs/frameworks.md)");
  EXPECT_EQ(decide().end.state, RunState::timed_out);
}

TEST_F(RequeuePolicy, AProgramThatRequeuesItsJobAtTheStopSignalDoesSoAtTheTimeLimit) {
  context.fate = JobFate::taken_back;
  context.taken_back_for = StopReason::requeued;
  EXPECT_EQ(step(), RequeueStep::leave);
  EXPECT_EQ(decide().reason, StopReason::time_limit);
  end.stop_signal = SIGTERM;
  EXPECT_EQ(decide().reason, StopReason::requeued) << "the job was not told that its time ends";
}

TEST_F(RequeuePolicy, LeavesToSlurmWhatSlurmStartsAgain) {
  context.fate = JobFate::taken_back;
  context.taken_back_for = StopReason::node_failed;
  plan.max_requeues = 0;
  for (const RunState state : {RunState::preempted, RunState::timed_out, RunState::failed}) {
    end.state = state;
    EXPECT_EQ(step(), RequeueStep::leave) << name_of(state);
    EXPECT_EQ(decide().reason, StopReason::node_failed);
  }
}

TEST_F(RequeuePolicy, GivesWayWithinTheGraceTime) {
  end.state = RunState::preempted;
  end.stop_signal = SIGTERM;
  context.fate = JobFate::giving_way;
  plan.max_requeues = 0;
  EXPECT_EQ(step(), RequeueStep::requeue) << "not counted";
  EXPECT_EQ(decide().reason, StopReason::preempted);
  context.fate = JobFate::evicted;
  EXPECT_EQ(step(), RequeueStep::end);
  EXPECT_EQ(remark(), ". Not requeued: its grace time had passed");
  context.fate = JobFate::ending;
  EXPECT_EQ(decide().end.state, RunState::cancelled) << "within the grace time";
  EXPECT_EQ(remark(), ". Not requeued: the job was cancelled in the meantime");
  context.fate = JobFate::running;
  EXPECT_EQ(step(), RequeueStep::end) << "somebody has sent TERM to the step";
}

TEST_F(RequeuePolicy, IsNotForRanksThatFail) {
  end.state = RunState::failed;
  end.cause = Failure{"was killed", Phrase::predicate, "node1", ExitRecord{}};
  for (const JobFate fate : {JobFate::running, JobFate::giving_way, JobFate::unknown}) {
    context.fate = fate;
    EXPECT_EQ(step(), RequeueStep::end);
  }
  context.fate = JobFate::taken_back;
  EXPECT_TRUE(may_go_on(end, plan));
  EXPECT_EQ(step(), RequeueStep::leave) << "the job starts again, whatever head says";
  plan.requeue = false;
  EXPECT_FALSE(may_go_on(end, plan));
}

TEST_F(RequeuePolicy, PreemptedDuringTheStopAtTheTimeLimitIsNoCancel) {
  context.fate = JobFate::evicted;
  EXPECT_EQ(decide().end.state, RunState::preempted);
  EXPECT_EQ(remark(), ". Not requeued: the job was preempted in the meantime");
  context.fate = JobFate::giving_way;
  EXPECT_EQ(step(), RequeueStep::requeue) << "within the grace time";
  context.terminated = true;
  EXPECT_EQ(decide().end.state, RunState::preempted);
}

TEST_F(RequeuePolicy, ASilentSlurmIsAskedAgainUntilTheTimeIsOver) {
  QuestionContext question;
  EXPECT_TRUE(pause_before_next_question(end, JobFate::unknown, question));
  question.terminated = true;
  EXPECT_TRUE(pause_before_next_question(end, JobFate::unknown, question)) << "until Slurm kills head";
  EXPECT_FALSE(pause_before_next_question(end, JobFate::ending, question));
  question.time_is_over = true;
  EXPECT_FALSE(pause_before_next_question(end, JobFate::unknown, question));
  question = {.waited = std::chrono::hours(1)};
  EXPECT_FALSE(pause_before_next_question(end, JobFate::unknown, question));
}

TEST_F(RequeuePolicy, ALostNodeIsWaitedForUntilSlurmHasNoticed) {
  end.state = RunState::failed;
  end.cause = Failure{"lost a peer", Phrase::predicate, "node1", ExitRecord{}};
  EXPECT_FALSE(pause_before_next_question(end, JobFate::running, {})) << "a rank has failed";
  EXPECT_FALSE(pause_before_next_question(end, JobFate::unknown, {}));
  end.agent_lost = true;
  EXPECT_TRUE(pause_before_next_question(end, JobFate::running, {}));
  EXPECT_TRUE(pause_before_next_question(end, JobFate::unknown, {}));
  for (const JobFate fate : {JobFate::taken_back, JobFate::ending, JobFate::evicted})
    EXPECT_FALSE(pause_before_next_question(end, fate, {}));
  EXPECT_FALSE(pause_before_next_question(end, JobFate::running, {.terminated = true}));
}

TEST_F(RequeuePolicy, AFailureThatNoLostNodeExplainsIsNotHeldForLong) {
  end.state = RunState::failed;
  EXPECT_TRUE(pause_before_next_question(end, JobFate::unknown, {}));
  const QuestionContext later{.waited = std::chrono::minutes(2)};
  EXPECT_FALSE(pause_before_next_question(end, JobFate::unknown, later));
  EXPECT_NE(
      render_wait(end, JobFate::unknown, plan, "scontrol")
          .find("waiting up to 60 s for Slurm to say whether it requeues the job: scontrol does not answer"),
      std::string::npos);
  end.agent_lost = true;
  EXPECT_TRUE(pause_before_next_question(end, JobFate::unknown, later));
  EXPECT_NE(
      render_wait(end, JobFate::running, plan, "scontrol")
          .find("waiting up to 600 s for Slurm to notice a lost node: it still reports that the job runs"),
      std::string::npos);
}

TEST_F(RequeuePolicy, AdvisesALongerLead) {
  const auto advice = [this](int taken) {
    return advise_signal_lead(end, plan, std::chrono::seconds(taken));
  };
  end.checkpoint_milliseconds = 73'200;
  EXPECT_EQ(advice(60), "");
  EXPECT_EQ(advice(75),
            "the last checkpoint took 74 s, but fault_tolerance.signal_lead is 60s; set it to at least 95s");
  end.killed = 4;
  EXPECT_EQ(advice(50),
            "the last checkpoint took 74 s, but fault_tolerance.signal_lead is 60s; set it to at least 154s");
  end.checkpoint_milliseconds.reset();
  EXPECT_EQ(
      advice(50),
      "the ranks did not stop within 50 s, but fault_tolerance.signal_lead is 60s; set it to at least 80s");
}

TEST(FindLastWord, IsNotThatOfAHeadThatDidNotKnowOfALaterOne) {
  const LedgerEvent first{{}, "head_started", {{"attempt", 0}}};
  const LedgerEvent second{{}, "head_started", {{"attempt", 1}}};
  const LedgerEvent late{{}, "run_ended", {{"attempt", 0}, {"exit_code", 1}}};
  EXPECT_EQ(find_last_word({first, late}), 1);
  EXPECT_EQ(find_last_word({first, second, late}), std::nullopt);
}

TEST(FindLastWord, IsNotThatOfAnEarlierSubmissionWhereTheIntentOfTheNextIsLost) {
  const LedgerEvent first{{}, "head_started", {{"attempt", 0}}};
  const LedgerEvent end{{}, "run_ended", {{"attempt", 0}, {"exit_code", 1}}};
  const LedgerEvent second{{}, "head_started", {{"attempt", 1}}};
  EXPECT_EQ(find_last_word({first, end, second}), std::nullopt);
}

TEST(FindLastWord, OfASubmissionIsThatOfItsOwnJobs) {
  const LedgerEvent first{{}, "head_started", {{"attempt", 0}, {"token", "cafe"}}};
  const LedgerEvent end{{}, "run_ended", {{"attempt", 0}, {"exit_code", 1}}};
  EXPECT_EQ(find_last_word_of("cafe", {first}), std::nullopt);
  EXPECT_EQ(find_last_word_of("cafe", {first, end}), 1);
  EXPECT_EQ(find_last_word_of("beef", {first, end}), std::nullopt) << "the job of a rerun";
  EXPECT_EQ(find_last_word_of("", {first, end}), std::nullopt);
}

TEST(CountRequeues, OfTheNewestSubmissionAtTheTimeLimit) {
  const auto event = [](const char* name, const char* reason) {
    return LedgerEvent{{}, name, {{"reason", reason}}};
  };
  EXPECT_EQ(count_requeues_at_limit({event("requeued", "time_limit"),
                                     event("submit_intent", ""),
                                     event("requeued", "time_limit"),
                                     event("requeued", "preempted"),
                                     event("requeued", "time_limit"),
                                     {{}, "requeued", {{"reason", 5}}}}),
            2);
}

TEST(CountFutileAttempts, OfTheNewestSubmissionInARow) {
  const LedgerEvent futile{{}, "attempt_ended", {{"outcome", "timed_out"}, {"unhandled_signal", "USR1"}}};
  const LedgerEvent handled{{}, "attempt_ended", {{"outcome", "timed_out"}}};
  const LedgerEvent requeue{{}, "requeued", {{"reason", "time_limit"}}};
  LedgerEvent with_step = futile;
  with_step.fields["last_step"] = 3;
  LedgerEvent preempted = futile;
  preempted.fields["outcome"] = "preempted";
  EXPECT_EQ(count_futile_attempts({futile, requeue, futile}), 2);
  EXPECT_EQ(count_futile_attempts({futile, futile, {{}, "submit_intent", {}}, futile}), 1);
  for (const auto& other : {handled, with_step, preempted}) {
    EXPECT_EQ(count_futile_attempts({futile, other}), 0);
    EXPECT_EQ(count_futile_attempts({futile, other, futile}), 1);
  }
}

}  // namespace
}  // namespace ddp::agent
