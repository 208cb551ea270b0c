#include "cli/store/state/run_state.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using std::chrono::system_clock;

/// Records of a run with two ranks; each event comes a second after the one before it.
class RunStateTest : public testing::Test {
 protected:
  RunStateTest() {
    records.plan.emplace();
    records.plan->tasks_per_node = 2;
  }

  void event(const std::string& name, json fields = json::object()) {
    records.ledger.push_back(
        {system_clock::time_point{seconds(records.ledger.size())}, name, std::move(fields)});
  }
  void submitted(const char* token = "t1") {
    event("submit_intent", {{"token", token}, {"launcher", "local"}});
    event("submitted",
          {{"launcher", "local"}, {"host", "n1"}, {"pid", 10}, {"pid_start", 99}, {"boot_id", "b"}});
  }
  void head_started(int attempt = 0, const nlohmann::json& resumes_from = {}) {
    event("head_started", {{"attempt", attempt},
                           {"host", "n1"},
                           {"pid", 11},
                           {"pid_start", 100},
                           {"boot_id", "b"},
                           {"job_id", "7"},
                           {"resumes_from", resumes_from}});
  }
  void exited(int rank, int code) {
    ExitRecord record;
    record.rank = rank;
    record.code = code;
    records.exits.push_back(record);
  }
  [[nodiscard]] RunState state() const { return derive_status(records).state; }

  RunRecords records;
};

TEST_F(RunStateTest, IsUnknownWithoutAWord) {
  EXPECT_EQ(state(), RunState::unknown);
}

TEST_F(RunStateTest, IsUnknownWhileTheSubmissionHasNoAnswer) {
  event("submit_intent", {{"token", "t1"}, {"launcher", "slurm"}});
  const auto status = derive_status(records);
  EXPECT_EQ(status.state, RunState::unknown);
  EXPECT_EQ(status.token, "t1");
  EXPECT_EQ(status.launcher, "slurm");
}

TEST_F(RunStateTest, KnowsWhatAnAttemptFailedOfAndWhenThatWasSeen) {
  submitted();
  head_started();
  event("kill_ordered", {{"attempt", 0}});
  event("kill_ordered", {{"attempt", 0}});
  event("attempt_ended", {{"attempt", 0},
                          {"outcome", "failed"},
                          {"cause", {{"rank", 2}, {"signal", 9}, {"since", "1970-01-01T00:00:02.500Z"}}}});
  const auto attempt = derive_status(records).attempts.at(0);
  EXPECT_EQ(attempt.kill_ordered, system_clock::time_point{seconds(3)}) << "the first time";
  ASSERT_TRUE(attempt.cause);
  EXPECT_EQ(attempt.cause->rank, 2);
  EXPECT_EQ(attempt.cause->since, system_clock::time_point{std::chrono::milliseconds(2500)});
}

TEST_F(RunStateTest, AnAttemptWithoutACauseHasNone) {
  submitted();
  head_started();
  event("attempt_ended", {{"attempt", 0}, {"outcome", "cancelled"}, {"cause", nullptr}});
  EXPECT_FALSE(derive_status(records).attempts.at(0).cause);
  event("attempt_ended", {{"attempt", 1}, {"outcome", "failed"}, {"cause", {{"since", "never"}}}});
  EXPECT_FALSE(derive_status(records).attempts.at(1).cause->since);
}

TEST_F(RunStateTest, BelievesAJobMoreThanWhoFoundNone) {
  event("submit_intent", {{"token", "t1"}, {"launcher", "slurm"}, {"cluster", "a"}, {"user", "ann"}});
  event("submit_refused", {{"token", "t1"}, {"message", "nothing was submitted"}});
  EXPECT_EQ(state(), RunState::failed);
  event("submitted", {{"launcher", "slurm"}, {"job_id", "7"}});
  const auto status = derive_status(records);
  EXPECT_EQ(status.state, RunState::queued);
  EXPECT_EQ(status.job_id, "7");
  EXPECT_FALSE(status.ended);
  EXPECT_EQ(status.cluster, "a");
  EXPECT_EQ(status.user, "ann");
  event("submit_refused", {{"token", "t1"}, {"message", "nothing was submitted"}});
  EXPECT_EQ(state(), RunState::queued);
}

TEST_F(RunStateTest, IsQueuedUntilHeadStarts) {
  submitted();
  EXPECT_EQ(state(), RunState::queued);
  EXPECT_EQ(derive_status(records).head->pid, 10);
  head_started();
  EXPECT_EQ(state(), RunState::running);
  EXPECT_EQ(derive_status(records).head->pid, 11);
  EXPECT_EQ(derive_status(records).job_id, "7");
}

TEST_F(RunStateTest, AHeadThatDoesNotKnowOfALaterOneHasNoWord) {
  submitted();
  head_started();
  head_started(1);
  event("requeued", {{"attempt", 0}, {"message", "late"}});
  EXPECT_EQ(state(), RunState::running);
  event("run_ended", {{"attempt", 0}, {"state", "failed"}, {"exit_code", 1}, {"message", "late"}});
  EXPECT_EQ(state(), RunState::running);
  event("run_ended", {{"attempt", 1}, {"state", "failed"}, {"exit_code", 1}, {"message", "broken"}});
  EXPECT_EQ(derive_status(records).message, "broken");
  submitted("t2");
  head_started(2);
  event("requeued", {{"attempt", 2}, {"message", ""}});
  EXPECT_EQ(state(), RunState::queued);
}

TEST_F(RunStateTest, IsThatOfTheJobThatItsHeadRunsInAndKnowsTheTwin) {
  const auto intent = [this](const char* token) {
    event("submit_intent", {{"token", token}, {"launcher", "slurm"}});
  };
  const auto answer = [this](const char* job) {
    event("submitted", {{"launcher", "slurm"}, {"job_id", job}});
  };
  intent("t1");
  answer("8");  // sbatch was called twice, and has named the second job
  EXPECT_EQ(derive_status(records).job_id, "8");
  head_started();
  EXPECT_EQ(derive_status(records).job_id, "7");
  EXPECT_EQ(derive_status(records).twin_jobs, std::vector<std::string>{"8"});
  std::swap(records.ledger[1], records.ledger[2]);
  EXPECT_EQ(derive_status(records).job_id, "7") << "though its head has spoken before the answer";
  EXPECT_EQ(derive_status(records).twin_jobs, std::vector<std::string>{"8"});
  intent("t2");
  answer("9");
  EXPECT_EQ(derive_status(records).job_id, "9") << "of the newest submission";
  EXPECT_TRUE(derive_status(records).twin_jobs.empty());
}

TEST_F(RunStateTest, TheHeadOfAnEarlierSubmissionWhoseClockIsAheadDoesNotChangeTheJob) {
  for (const auto* job : {"7", "9"}) {
    event("submit_intent", {{"token", job}, {"launcher", "slurm"}});
    event("submitted", {{"launcher", "slurm"}, {"job_id", job}});
  }
  head_started();
  EXPECT_EQ(derive_status(records).job_id, "9");
  EXPECT_TRUE(derive_status(records).twin_jobs.empty());
}

TEST_F(RunStateTest, ALostAttemptEndedAtATimeThatNobodyKnows) {
  submitted();
  head_started();
  event("restarting", {{"attempt", 0}, {"next_attempt", 1}, {"lost_steps", 20}});
  head_started(2);
  event("attempt_ended", {{"attempt", 1}, {"outcome", "lost"}, {"lost_steps", 7}});
  const auto status = derive_status(records);
  EXPECT_EQ(status.attempts.at(0).lost_steps, 20U);
  EXPECT_EQ(status.attempts.at(1).lost_steps, 7U);
  EXPECT_FALSE(status.attempts.at(1).ended);
}

TEST_F(RunStateTest, SucceedsOnlyWithTheRecordsOfAllRanks) {
  submitted();
  head_started();
  event("run_ended", {{"state", "succeeded"}, {"exit_code", 0}, {"message", ""}, {"cause", nullptr}});
  EXPECT_EQ(state(), RunState::unknown);
  exited(0, 0);
  EXPECT_EQ(state(), RunState::unknown);
  exited(0, 0);
  EXPECT_EQ(state(), RunState::unknown) << "twice the same rank is not both";
  exited(1, 0);
  EXPECT_EQ(state(), RunState::succeeded);
  EXPECT_EQ(derive_status(records).ended, system_clock::time_point{seconds(3)});
}

TEST_F(RunStateTest, CannotSucceedWithoutAPlan) {
  records.plan.reset();
  submitted();
  event("run_ended", {{"state", "succeeded"}, {"exit_code", 0}});
  EXPECT_EQ(state(), RunState::unknown);
}

TEST_F(RunStateTest, TakesTheCauseFromHead) {
  submitted();
  head_started();
  event("run_ended", {{"state", "failed"},
                      {"exit_code", 1},
                      {"message", "rank 1 on n1 was killed by signal 9 (KILL)"},
                      {"cause",
                       {{"rank", 1},
                        {"host", "n1"},
                        {"signal", 9},
                        {"last_step", 40},
                        {"phase", "step"},
                        {"stderr_tail", "x"}}}});
  const auto status = derive_status(records);
  EXPECT_EQ(status.state, RunState::failed);
  EXPECT_EQ(status.exit_code, 1);
  ASSERT_TRUE(status.cause);
  EXPECT_EQ(status.cause->rank, 1);
  EXPECT_EQ(status.cause->signal, 9);
  EXPECT_EQ(status.cause->code, std::nullopt);
  EXPECT_EQ(status.cause->last_step, 40u);
}

TEST_F(RunStateTest, HasFailedWhenItWasRefused) {
  event("submit_intent", {{"token", "t1"}, {"launcher", "slurm"}});
  event("submit_refused", {{"message", "no such partition"}});
  EXPECT_EQ(state(), RunState::failed);
  EXPECT_EQ(derive_status(records).message, "no such partition");
}

TEST_F(RunStateTest, ForgetsTheEndOfAnEarlierSubmission) {
  submitted();
  head_started();
  event("cancel_requested", {{"host", "n1"}, {"pid", 1}, {"user", "u"}});
  event("attempt_ended", {{"attempt", 0}, {"outcome", "cancelled"}});
  event("run_ended", {{"state", "cancelled"}, {"exit_code", 143}});
  EXPECT_TRUE(derive_status(records).cancel_requested);
  submitted("t2");
  const auto status = derive_status(records);
  EXPECT_EQ(status.state, RunState::queued);
  EXPECT_FALSE(status.cancel_requested);
  EXPECT_EQ(status.token, "t2");
  EXPECT_EQ(status.exit_code, std::nullopt);
  ASSERT_EQ(status.attempts.size(), 1u) << "attempts are kept";
  head_started(1, 40);
  ASSERT_EQ(derive_status(records).attempts.size(), 2u);
  EXPECT_EQ(derive_status(records).attempts[1].resumed_from, 40u) << "a rerun goes on from a checkpoint, too";
}

TEST_F(RunStateTest, IsQueuedAgainWhenItsJobWasRequeued) {
  submitted();
  head_started();
  event("attempt_ended", {{"attempt", 0}, {"outcome", "timed_out"}});
  event("requeued",
        {{"attempt", 0}, {"reason", "time_limit"}, {"step", 97}, {"lost_steps", 3}, {"message", "requeued"}});
  const auto waiting = derive_status(records);
  EXPECT_EQ(waiting.state, RunState::queued);
  EXPECT_TRUE(waiting.requeued);
  EXPECT_EQ(waiting.message, "requeued");
  EXPECT_EQ(waiting.attempts.at(0).outcome, "timed_out");
  EXPECT_EQ(waiting.attempts.at(0).lost_steps, 3u);
  EXPECT_FALSE(waiting.head) << "nobody runs it now";
  head_started(1, 97);
  EXPECT_EQ(state(), RunState::running);
  EXPECT_FALSE(derive_status(records).requeued);
  EXPECT_EQ(derive_status(records).attempts.at(1).resumed_from, 97u);
}

TEST_F(RunStateTest, ToleratesAHeadWhoseClockIsBehind) {
  head_started();
  submitted();
  EXPECT_EQ(state(), RunState::running);
  EXPECT_EQ(derive_status(records).head->pid, 11);
}

TEST_F(RunStateTest, CollectsRanksByAttempt) {
  submitted();
  head_started();
  event("rank_started", {{"attempt", 0}, {"rank", 1}, {"host", "n1"}, {"pid", 21}});
  event("rank_started", {{"attempt", 0}, {"rank", 0}, {"host", "n1"}, {"pid", 20}});
  event("rank_exited", {{"attempt", 0},
                        {"rank", 1},
                        {"host", "n1"},
                        {"signal", 9},
                        {"ended_by", "itself"},
                        {"last_step", 3},
                        {"phase", "step"}});
  const auto ranks = derive_status(records).attempts.at(0).ranks;
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0].pid, 20);
  EXPECT_FALSE(ranks[0].ended);
  EXPECT_EQ(ranks[1].signal, 9);
  EXPECT_EQ(ranks[1].last_step, 3u);
}

TEST_F(RunStateTest, IsRestartingUntilTheNextAttemptHasStarted) {
  submitted();
  head_started();
  event("attempt_started", {{"attempt", 0}});
  event("attempt_ended",
        {{"attempt", 0}, {"outcome", "failed"}, {"message", "rank 1 broke"}, {"last_step", 120}});
  event("restarting",
        {{"attempt", 0}, {"next_attempt", 1}, {"message", "rank 1 broke"}, {"resumes_from", 100}});
  const auto between = derive_status(records);
  EXPECT_EQ(between.state, RunState::restarting);
  EXPECT_EQ(between.message, "rank 1 broke");
  event("attempt_started", {{"attempt", 1}});
  const auto status = derive_status(records);
  EXPECT_EQ(status.state, RunState::running);
  EXPECT_EQ(status.message, "");
  ASSERT_EQ(status.attempts.size(), 2u);
  EXPECT_EQ(status.attempts[0].outcome, "failed");
  EXPECT_EQ(status.attempts[0].message, "rank 1 broke");
  EXPECT_EQ(status.attempts[0].last_step, 120u);
  EXPECT_EQ(status.attempts[1].resumed_from, 100u);
  EXPECT_EQ(status.attempts[1].host, "n1");
  EXPECT_EQ(status.attempts[1].started, system_clock::time_point{seconds(6)});
}

TEST_F(RunStateTest, ARestartThatNeverGotItsNodesBeganWhenItWasDecidedOn) {
  submitted();
  head_started();
  event("restarting", {{"attempt", 0}, {"next_attempt", 1}, {"message", "lost the agent on n2"}});
  const auto decided = records.ledger.back().time;
  event("attempt_ended", {{"attempt", 1}, {"outcome", "failed"}, {"message", "srun ended with exit code 1"}});
  EXPECT_EQ(derive_status(records).attempts.at(1).started, decided);
}

TEST_F(RunStateTest, SaysWhatARunWaitsForWhoseRanksHaveEnded) {
  submitted();
  head_started();
  event("attempt_started", {{"attempt", 0}});
  event("attempt_ended", {{"attempt", 0}, {"outcome", "failed"}, {"message", "lost the agent on n2"}});
  event("waiting", {{"attempt", 0}, {"message", "lost the agent on n2; waiting for Slurm"}});
  const auto status = derive_status(records);
  EXPECT_EQ(status.state, RunState::running);
  EXPECT_EQ(status.message, "lost the agent on n2; waiting for Slurm");
}

TEST_F(RunStateTest, SurvivesFieldsOfOtherTypes) {
  event("head_started", {{"attempt", "x"}, {"host", 5}, {"pid", nullptr}, {"boot_id", json::array()}});
  event("rank_exited", json::object());
  event("restarting", {{"next_attempt", "x"}, {"message", 1}, {"resumes_from", -1.5}});
  event("attempt_started", {{"attempt", json::array()}});
  event("run_ended", {{"state", 7}, {"exit_code", "y"}, {"cause", "z"}});
  event("what_is_this", {{"a", 1}});
  EXPECT_EQ(state(), RunState::unknown);
}

/// Of one attempt, whose ledger may hide a later submission in damaged lines.
class DamagedRunTest : public RunStateTest {
 protected:
  void ended(const std::string& launcher, const char* job_id, const char* state = "failed") {
    event("submit_intent", {{"token", "t1"}, {"launcher", launcher}});
    event("submitted", {{"launcher", launcher}, {"job_id", job_id}});
    event("head_started", {{"attempt", 0}, {"job_id", job_id}, {"pid", 7}, {"pid_start", 8}});
    event("run_ended", {{"attempt", 0}, {"state", state}, {"exit_code", 1}});
    records.highest_attempt = 0;
  }
  void damage(const std::string& writer) {
    event(event::DamagedLines::kName, {{"writer", writer}, {"place", writer + ".jsonl:9"}, {"lines", 1}});
  }
};

TEST_F(DamagedRunTest, RunsWhereTheWordOfItsHeadIsLostAndTheAnswerCameAfterIt) {
  event("submit_intent", {{"token", "t1"}, {"launcher", "local"}});
  damage("head-0");
  event("attempt_started", {{"attempt", 0}, {"hosts", {"here"}}});
  event("submitted",
        {{"launcher", "local"}, {"host", "here"}, {"pid", 7}, {"pid_start", 8}, {"boot_id", "b"}});
  records.highest_attempt = 0;
  const auto status = derive_status(records);
  EXPECT_EQ(status.state, RunState::running);
  ASSERT_TRUE(status.head);
  EXPECT_EQ(status.head->pid, 7);
}

TEST_F(DamagedRunTest, MayHaveSucceededWhereItsAttemptHasAndOnlyTheLastWordOfItsHeadIsLost) {
  event("submit_intent", {{"token", "t1"}, {"launcher", "local"}});
  head_started();
  event("attempt_ended", {{"attempt", 0}, {"outcome", "succeeded"}, {"message", "2 ranks finished"}});
  EXPECT_FALSE(derive_status(records).lost_success) << "nothing is lost";
  damage("head-0");
  EXPECT_EQ(find_reported_success(records.ledger), 0);
  EXPECT_FALSE(derive_status(records).lost_success) << "no rank has left a record of it";
  exited(0, 0);
  exited(1, 0);
  EXPECT_TRUE(derive_status(records).lost_success);
  EXPECT_EQ(state(), RunState::running) << "its job may wait to be started again";
}

TEST_F(DamagedRunTest, IsInDoubtWhereALaterSubmissionMayBeHidden) {
  ended("slurm", "7");
  damage("submit");
  for (const auto& token : {std::optional<std::string>(), std::optional<std::string>("t2")}) {
    records.script_token = token;
    const auto status = derive_status(records);
    EXPECT_EQ(status.state, RunState::unknown);
    EXPECT_TRUE(status.in_doubt);
    EXPECT_EQ(status.message,
              "it was failed, but unreadable lines of the ledger may hide a later submission");
    EXPECT_EQ(status.damage.size(), 1U);
  }
  records.script_token = "t1";
  EXPECT_EQ(state(), RunState::failed) << "its script says that there is none";
}

TEST_F(DamagedRunTest, IsInNoDoubtWhereNoLaterAttemptWasClaimed) {
  ended("local", "");
  damage("submit");
  EXPECT_EQ(state(), RunState::failed);
  records.highest_attempt = 1;
  EXPECT_EQ(state(), RunState::unknown);
  head_started(1);
  EXPECT_EQ(state(), RunState::running) << "there was one, and this is its head";
}

TEST_F(DamagedRunTest, IsInNoDoubtBecauseOfWhatHidesNoSubmission) {
  ended("slurm", "7");
  damage("head-0");
  damage("cancel-7-1");
  const auto status = derive_status(records);
  EXPECT_EQ(status.state, RunState::failed);
  EXPECT_EQ(status.damage.size(), 2U);
  EXPECT_FALSE(status.submission_damaged);
}

TEST_F(DamagedRunTest, IsWhatStandsBehindTheDamage) {
  ended("slurm", "7");
  damage("submit");
  event("submitted", {{"launcher", "slurm"}, {"job_id", "8"}});
  const auto status = derive_status(records);
  EXPECT_EQ(status.state, RunState::queued) << "an answer behind an end is that to a lost intent";
  EXPECT_EQ(status.job_id, "8");
  event("submit_intent", {{"token", "t3"}, {"launcher", "slurm"}});
  EXPECT_FALSE(derive_status(records).submission_damaged);
}

TEST_F(DamagedRunTest, HasAnAnswerThatMayBeLost) {
  event("submit_intent", {{"token", "t1"}, {"launcher", "slurm"}});
  damage("submit");
  const auto status = derive_status(records);
  EXPECT_TRUE(status.awaits_answer);
  EXPECT_TRUE(status.submission_damaged);
  EXPECT_EQ(status.token, "t1");
}

TEST(ElapsedOf, EndsWithTheRunAndIsUnknownWhenItsEndIs) {
  const auto at = [](int second) { return system_clock::time_point{seconds(second)}; };
  RunStatus status;
  status.state = RunState::running;
  EXPECT_EQ(elapsed_of(status, at(9)), std::nullopt);
  status.started = at(2);
  EXPECT_EQ(elapsed_of(status, at(9)), seconds(7));
  for (const auto state : {RunState::failed, RunState::cancelled, RunState::unknown}) {
    status.state = state;
    EXPECT_EQ(elapsed_of(status, at(9)), std::nullopt) << "seen from outside, nobody knows since when";
  }
  status.ended = at(5);
  EXPECT_EQ(elapsed_of(status, at(9)), seconds(3));
}

TEST(RunState, NamesAreReadBack) {
  for (const auto state : {RunState::queued, RunState::running, RunState::restarting, RunState::succeeded,
                           RunState::failed, RunState::timed_out, RunState::preempted, RunState::cancelled}) {
    EXPECT_EQ(parse_run_state(name_of(state)), state);
  }
  EXPECT_EQ(parse_run_state("flying"), RunState::unknown);
  EXPECT_EQ(words_of(RunState::timed_out), "timed out");
}

}  // namespace
}  // namespace ddp::cli
