#include <csignal>
#include <ctime>

#include "tests/unit/jobenv/agent/head/slurm_head_fixture.hpp"

namespace ddp::agent {
namespace {

constexpr const char* kScontrol = R"(#!/bin/sh
echo "$*" >> "$FAKE/asked"
if [ "$1" = requeue ]; then echo "$FAKE_REFUSAL" >&2; [ -z "$FAKE_REFUSAL" ]; else echo "JobId=42 $FAKE_JOB"; fi
)";

class RequeuedSlurmHead : public SlurmHead {
 protected:
  /// A command that sleeps until it is stopped, in a job of which scontrol says `job`.
  void start_in(const std::string& job, ProgramKind program = ProgramKind::command) {
    LaunchPlan requeued = plan(1, 2, kSleep);
    requeued.requeue = true;
    requeued.program = program;
    if (program == ProgramKind::trainer) requeued.signal_lead = std::chrono::seconds(1);
    start_plan_in(job, requeued);
  }
  void start_plan_in(const std::string& job, const LaunchPlan& plan) {
    install("scontrol", kScontrol);
    env_.set("FAKE_JOB", job);
    start(plan);
    ASSERT_TRUE(ranks_are_there(2));
  }
  /// As slurmstepd does, in the output of the job.
  void announce_end(const std::string& reason) const {
    std::ofstream(run_.folder().job_output("slurm", "42"), std::ios::app)
        << "slurmstepd: error: *** JOB 42 ON node1 CANCELLED AT 2026-11-21T23:06:42" << reason << " ***\n";
  }
  [[nodiscard]] std::string asked() const { return read_file(run_.beside("asked")); }
  [[nodiscard]] nlohmann::json requeued() const {
    const auto events = run_.events("requeued");
    return events.size() == 1 ? events[0].fields : nlohmann::json::object();
  }
  [[nodiscard]] std::string outcome() const {
    return run_.events("attempt_ended").at(0).fields.at("outcome");
  }
};

TEST_F(RequeuedSlurmHead, AsksForARequeueAfterTheStopSignal) {
  start_in("JobState=RUNNING Restarts=0 PreemptTime=None");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 75);
  EXPECT_EQ(asked(), "--oneliner show job 42\nrequeue 42\nupdate JobId=42 StartTime=now+2\n");
  EXPECT_EQ(outcome(), "timed_out");
  EXPECT_EQ(requeued().value("reason", ""), "time_limit");
  EXPECT_EQ(
      requeued().value("message", ""),
      "requeued at its time limit; attempt 1 follows; all ranks died of USR2, for which the program has no "
      "handler, and saved nothing at the stop; if this happens again, the run ends");
  EXPECT_EQ(state(), "") << "the last word is the next attempt's";
  expect_all_gone();
}

/// It takes the ten seconds that head waits for the answer.
TEST_F(RequeuedSlurmHead, LeavesWhenSlurmIsSilentAboutTheNextStart) {
  start_in("JobState=RUNNING Restarts=0 PreemptTime=None");
  install("scontrol", R"(#!/bin/sh
echo "$*" >> "$FAKE/asked"
[ "$1" != update ] || exec sleep 1000
echo "JobId=42 $FAKE_JOB"
)");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 75);
  EXPECT_TRUE(asked().ends_with("\nupdate JobId=42 StartTime=now+2\n")) << asked();
  expect_all_gone();
}

TEST_F(RequeuedSlurmHead, NamesTheTaskOfAnArray) {
  env_.set("SLURM_ARRAY_JOB_ID", "40");
  env_.set("SLURM_ARRAY_TASK_ID", "3");
  start_in("JobState=RUNNING Restarts=0 PreemptTime=None");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 75);
  EXPECT_EQ(asked(), "--oneliner show job 40_3\nrequeue 40_3\nupdate JobId=40_3 StartTime=now+2\n");
}

TEST_F(RequeuedSlurmHead, RepeatsSlurmsWordsWhenItRefuses) {
  env_.set("FAKE_REFUSAL", "slurm_requeue error: Job is pending execution");
  start_in("JobState=RUNNING Restarts=0 PreemptTime=None");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(state(), "timed_out");
  EXPECT_TRUE(
      message().ends_with(". Slurm did not requeue the job: slurm_requeue error: Job is pending execution"))
      << message();
  EXPECT_EQ(run_.events("requeue_refused").size(), 1u);
}

TEST_F(RequeuedSlurmHead, LeavesItToSlurmWhenTermMeansThatItStartsTheJobAgain) {
  start_in("JobState=COMPLETING Restarts=1");
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 75);
  EXPECT_EQ(outcome(), "requeued");
  EXPECT_EQ(requeued().value("reason", ""), "taken_back");
  EXPECT_EQ(asked().find("requeue"), std::string::npos);
  EXPECT_TRUE(asked().ends_with("\nupdate JobId=42 StartTime=now+2\n")) << asked();
  EXPECT_EQ(state(), "");
}

/// Slurm's answers, one after the other; the last one stays.
constexpr const char* kChangingScontrol = R"(#!/bin/sh
echo "$*" >> "$FAKE/asked"
line=$(head -n 1 "$FAKE/answers")
[ $(wc -l < "$FAKE/answers") = 1 ] || sed -i 1d "$FAKE/answers"
eval "$line"
)";

class PatientSlurmHead : public RequeuedSlurmHead {
 protected:
  void start_with_answers(const std::string& lines) {
    start_in("");
    std::ofstream(run_.beside("answers")) << lines;
    install("scontrol", kChangingScontrol);
  }
};

TEST_F(PatientSlurmHead, AsksAgainWhenSlurmDoesNotAnswer) {
  start_with_answers("exit 1\nexit 1\necho JobId=42 JobState=COMPLETING Restarts=1\n");
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_EQ(outcome(), "requeued");
  EXPECT_EQ(state(), "");
}

TEST_F(PatientSlurmHead, WaitsUntilSlurmHasNoticedTheLostNode) {
  start_with_answers(
      "echo JobId=42 JobState=RUNNING Restarts=0\necho JobId=42 JobState=RUNNING Restarts=0\n"
      "echo JobId=42 JobState=COMPLETING Restarts=1\n");
  kill(agents().at(1), SIGKILL);  // its srun sends TERM to the others: head asks a first time
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_EQ(outcome(), "failed");
  EXPECT_EQ(requeued().value("reason", ""), "taken_back");
  ASSERT_EQ(run_.events("waiting").size(), 1u);
  EXPECT_NE(run_.events("waiting")[0].fields.at("message").get<std::string>().find("to notice a lost node"),
            std::string::npos);
}

TEST_F(PatientSlurmHead, ALateAnswerStillNamesTheStop) {
  start_with_answers("sleep 3; echo JobId=42 JobState=COMPLETING Restarts=1\n");
  announce_end(" DUE TO JOB REQUEUE");
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_EQ(outcome(), "requeued");
  EXPECT_EQ(requeued().value("message", ""),
            "requeued outside ddpsubmit (scontrol requeue); attempt 1 follows");
}

/// A program that requeues its job itself at the stop signal, as those of Lightning do. Slurm may stop the
/// job before head has its first answer, or behind it.
class SelfRequeuedSlurmHead : public PatientSlurmHead {
 protected:
  void requeue_at_stop_signal(const std::string& answers, const std::string& outlived = "USR2") {
    LaunchPlan saving = plan(1, 2, "trap : " + outlived + "; echo $$ >> pids; while :; do sleep 0.05; done");
    saving.requeue = true;
    saving.kill_wait = std::chrono::seconds(2);
    env_.set("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 3600));  // somebody has shortened it
    start_plan_in("", saving);
    std::ofstream(run_.beside("answers")) << answers;
    install("scontrol", kChangingScontrol);
    head_->send(SIGUSR2);
    ASSERT_TRUE(eventually([&] { return !asked().empty(); }));
  }
  /// As Slurm stops a job: all of its processes.
  void stop_job_at_its_time_limit() {
    for (const int pid : read_numbers(run_.path() / "pids")) kill(pid, SIGTERM);
    head_->send(SIGTERM);
    EXPECT_EQ(head_->wait(), 75) << message();
    EXPECT_EQ(outcome(), "timed_out");
  }
};

constexpr const char* kLateAnswer = "sleep 1; echo JobId=42 JobState=COMPLETING Restarts=1\n";

TEST_F(SelfRequeuedSlurmHead, IsOneAtTheTimeLimitBehindTheFirstAnswer) {
  requeue_at_stop_signal(
      "echo JobId=42 JobState=RUNNING Restarts=0 EndTime=$(date -d '+60 sec' +%FT%T)\n"
      "echo JobId=42 JobState=COMPLETING Restarts=1\n");
  ASSERT_TRUE(eventually([&] { return run_.events("stop_requested").size() == 1; }));
  announce_end(" DUE TO JOB REQUEUE");
  stop_job_at_its_time_limit();
  EXPECT_EQ(requeued().value("reason", ""), "time_limit");
}

TEST_F(SelfRequeuedSlurmHead, IsOneAtTheTimeLimitBeforeTheFirstAnswer) {
  requeue_at_stop_signal(kLateAnswer);
  announce_end(" DUE TO JOB REQUEUE");
  stop_job_at_its_time_limit();
  EXPECT_EQ(requeued().value("reason", ""), "time_limit");
}

TEST_F(SelfRequeuedSlurmHead, IsOneAtTheTimeLimitAlsoWhenSlurmHasNotSaidWhy) {
  requeue_at_stop_signal(kLateAnswer);
  stop_job_at_its_time_limit();
}

TEST_F(SelfRequeuedSlurmHead, KillsRanksThatOutliveItBeforeSlurmKillsHead) {
  requeue_at_stop_signal(kLateAnswer, "USR2 TERM");
  stop_job_at_its_time_limit();
  expect_all_gone();
  EXPECT_EQ(requeued().value("message", ""), "requeued by Slurm; attempt 1 follows");
}

TEST_F(PatientSlurmHead, ALostAnswerToTheRequeueIsNoRefusal) {
  start_with_answers(
      "echo JobId=42 JobState=RUNNING Restarts=0\nexit 1\nexit 1\n"
      "echo JobId=42 JobState=PENDING Restarts=1\n");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_TRUE(run_.events("requeue_refused").empty());
}

TEST_F(PatientSlurmHead, ARequestThatWasLostIsMadeAgain) {
  start_with_answers(
      "echo JobId=42 JobState=RUNNING Restarts=0\nexit 1\necho JobId=42 JobState=RUNNING Restarts=0\n"
      "true\n");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 75) << message();
  EXPECT_EQ(asked(),
            "--oneliner show job 42\nrequeue 42\n--oneliner show job 42\nrequeue 42\n"
            "update JobId=42 StartTime=now+2\n");
  EXPECT_EQ(run_.events("requeued").size(), 1u);
}

TEST_F(PatientSlurmHead, ALaterClaimTakesTheWordFromThisHead) {
  start_with_answers("mkdir -p \"$FAKE/run/attempts/1\"; echo JobId=42 JobState=RUNNING Restarts=0\n");
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(asked(), "--oneliner show job 42\n");
  EXPECT_TRUE(run_.events("requeued").empty());
  EXPECT_EQ(state(), "");
}

/// Answers when it is let; keeps what the ledger had of the stop when it was asked.
constexpr const char* kSilentScontrol = R"(#!/bin/sh
[ "$1" = requeue ] && exit
grep -h stop_requested "$FAKE"/run/ledger/* >> "$FAKE/stops"
until [ -e "$FAKE/answer" ]; do sleep 0.01; done
end=$(date -d "$FAKE_END" +%FT%T)
echo "JobId=42 JobState=RUNNING Restarts=0 PreemptTime=$FAKE_PREEMPTED EndTime=$end"
)";

/// In a job that had an hour when it was started; the stop signal comes at once.
class ShortenedSlurmHead : public RequeuedSlurmHead {
 protected:
  /// `end` and `preempted` are what Slurm tells when it is asked, which it is let do once the ranks have
  /// left.
  int stop(const std::string& end, const std::string& preempted = "None") {
    install("scontrol", kSilentScontrol);
    env_.set("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 3600));
    env_.set("FAKE_END", end);
    env_.set("FAKE_PREEMPTED", preempted);
    LaunchPlan limited = plan(1, 2, "trap 'exit 0' USR2; echo $$ >> pids; while :; do sleep 0.01; done");
    limited.requeue = true;
    start(limited);
    EXPECT_TRUE(ranks_are_there(2));
    head_->send(SIGUSR2);
    EXPECT_TRUE(eventually([this] { return run_.events("rank_exited").size() == 2; }));
    std::ofstream(run_.beside("answer")) << "";
    const int code = head_->wait();
    EXPECT_FALSE(read_file(run_.beside("stops")).empty()) << "Slurm was asked before the ranks were stopped";
    return code;
  }
  [[nodiscard]] std::string reasons() const {
    std::string reasons;
    for (const LedgerEvent& event : run_.events("stop_requested"))
      reasons += event.fields.at("reason").get<std::string>() + " ";
    return reasons;
  }
};

TEST_F(ShortenedSlurmHead, ASecondSignalOfTheSameKindTakesNoTimeFromTheRanks) {
  LaunchPlan limited = plan(1, 1,
                            "trap 'touch told; until [ -e done ]; do sleep 0.01; done; exit 0' USR2; "
                            "echo $$ >> pids; while :; do sleep 0.01; done");
  install("scontrol", kSilentScontrol);
  env_.set("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 3600));
  env_.set("FAKE_END", "+3600 seconds");
  env_.set("FAKE_PREEMPTED", "None");
  std::ofstream(run_.beside("answer")) << "";
  start(limited);
  EXPECT_TRUE(ranks_are_there(1));
  head_->send(SIGUSR2);
  EXPECT_TRUE(eventually([this] { return run_.events("stop_requested").size() == 2; }));
  head_->send(SIGUSR2);
  std::this_thread::sleep_for(
      std::chrono::milliseconds(300));  // a head that asks again has its answer by then
  std::ofstream(run_.path() / "done") << "";
  EXPECT_EQ(head_->wait(), 130) << message();
  EXPECT_EQ(reasons(), "time_limit interrupt ");
  EXPECT_TRUE(run_.events("kill_ordered").empty());
}

TEST_F(ShortenedSlurmHead, IsRequeuedWhereTheLimitWasShortened) {
  EXPECT_EQ(stop("+60 seconds"), 75) << message();
  EXPECT_EQ(reasons(), "time_limit ");
  EXPECT_EQ(outcome(), "timed_out");
  EXPECT_EQ(requeued().value("reason", ""), "time_limit");
}

TEST_F(ShortenedSlurmHead, IsPreemptedWhereSlurmSaysSo) {
  EXPECT_EQ(stop("+60 seconds", "2026-11-21T23:06:40"), 75) << message();
  EXPECT_EQ(reasons(), "time_limit preempted ");
  EXPECT_EQ(outcome(), "preempted");
  EXPECT_EQ(requeued().value("reason", ""), "preempted");
}

TEST_F(ShortenedSlurmHead, IsInterruptedWhereSlurmKnowsNoReason) {
  EXPECT_EQ(stop("+1 hour"), 130);
  EXPECT_EQ(reasons(), "time_limit interrupt ");
  EXPECT_EQ(state(), "cancelled");
  EXPECT_TRUE(message().starts_with("interrupted by SIGUSR2; ")) << message();
  EXPECT_TRUE(run_.events("requeued").empty());
}

TEST_F(RequeuedSlurmHead, NeverComesBackFromACancel) {
  start_in("JobState=COMPLETING Restarts=0 PreemptTime=None");
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  EXPECT_EQ(state(), "cancelled");
  EXPECT_EQ(asked().find("requeue"), std::string::npos);
}

TEST_F(RequeuedSlurmHead, IsCancelledByAScancelInItsGraceTimeAlsoWithoutRequeue) {
  start_plan_in("JobState=RUNNING Restarts=0 PreemptTime=2026-11-21T23:06:40", plan(1, 2, kSleep));
  announce_end("");
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  EXPECT_EQ(state(), "cancelled") << message();
}

TEST_F(RequeuedSlurmHead, IsPreemptedAtTheEndOfItsGraceTime) {
  start_plan_in("JobState=RUNNING Restarts=0 PreemptTime=2026-11-21T23:06:40", plan(1, 2, kSleep));
  announce_end(" DUE TO PREEMPTION");
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(state(), "preempted") << message();
}

TEST_F(RequeuedSlurmHead, DoesNotRepeatAnAttemptWithoutProgress) {
  start_in("JobState=RUNNING Restarts=0 PreemptTime=None", ProgramKind::trainer);
  head_->send(SIGUSR2);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(state(), "timed_out");
  EXPECT_NE(message().find(". Not requeued: no checkpoint was written since this start of the job; "),
            std::string::npos)
      << message();
  EXPECT_NE(message().find("fault_tolerance.signal_lead is 1s; set it to at least"), std::string::npos)
      << message();
}

TEST_F(RequeuedSlurmHead, TellsOfAnAttemptThatLeftNoEnd) {
  ASSERT_TRUE(run_.folder().claim_attempt("nonce", "42", 0));
  EXPECT_EQ(run(plan(1, 1, "true")), 0);
  EXPECT_EQ(run_.events("attempt_ended").at(0).fields.at("attempt"), 0);
  EXPECT_EQ(outcome(), "lost");
}

TEST_F(RequeuedSlurmHead, DoesNotRunAnEndedRunAgain) {
  const LaunchPlan ended = plan(1, 1, "echo ran >> ran");
  EXPECT_EQ(run(ended), 0);
  env_.set("SLURM_RESTART_COUNT", "1");
  EXPECT_EQ(run(ended), 0);
  EXPECT_EQ(run_.events("head_started").size(), 1u);
  EXPECT_EQ(read_file(run_.path() / "ran"), "ran\n");
}

TEST(TaskAgent, SaysWhatIsMissing) {
  AgentProcess agent({"task"}, EnvMap::capture());
  EXPECT_NE(agent.wait(), 0);
}

}  // namespace
}  // namespace ddp::agent
