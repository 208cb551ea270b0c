#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "jobenv/record/files/file_descriptor.hpp"
#include "tests/unit/jobenv/agent/agent_process.hpp"
#include "tests/unit/jobenv/agent/eventually.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

/// `ddp-agent head` with launcher local, as ddpsubmit starts it.
class LocalHead : public testing::Test {
 protected:
  LaunchPlan plan(int ranks, const std::string& script) const {
    LaunchPlan plan = make_plan(run_.path(), ranks, script);
    plan.grace_period = std::chrono::seconds(600);
    return plan;
  }
  void start(const LaunchPlan& plan, const std::string& setup = "", int inherited = -1) {
    run_.save(plan);
    std::vector<std::string> arguments = {"head", "--run-dir", run_.path()};
    if (inherited >= 0) arguments.insert(arguments.end(), {"--attached-fd", std::to_string(inherited)});
    head_.emplace(arguments, EnvMap::capture(), setup, inherited);
  }
  int run(const LaunchPlan& plan, const std::string& setup = "") {
    start(plan, setup);
    return head_->wait();
  }
  void request_cancel() const {
    auto writer = LedgerWriter::open(run_.folder(), "cancel-1");
    ASSERT_TRUE(writer && writer->append("cancel_requested", {{"host", "here"}}));
  }
  bool ranks_are_there(std::size_t count) const {
    return eventually([&] { return read_numbers(run_.path() / "pids").size() >= count; });
  }
  void expect_all_gone() const {
    for (const int pid : read_numbers(run_.path() / "pids")) {
      EXPECT_TRUE(eventually([pid] { return !is_running(pid); })) << "process " << pid;
    }
  }
  [[nodiscard]] std::string state() const { return run_.run_end().value("state", ""); }
  [[nodiscard]] std::string message() const { return run_.run_end().value("message", ""); }

  RunFixture run_;
  std::optional<AgentProcess> head_;
};

constexpr const char* kSleep = "echo $$ >> pids; exec sleep 1000";
/// With a process in a session of its own besides each rank.
constexpr const char* kSleepWithOrphan =
    "setsid sh -c 'echo $$ >> pids; exec sleep 1000' & echo $$ >> pids; trap '' TERM; while :; do sleep "
    "1000; done";

TEST_F(LocalHead, RunsAllRanksAndTellsTheStory) {
  EXPECT_EQ(run(plan(2, "echo rank $RANK of $WORLD_SIZE")), 0);
  EXPECT_EQ(read_file(run_.folder().out(0, 1)), "rank 1 of 2\n");
  EXPECT_EQ(run_.exit_record(0).code, 0);
  EXPECT_EQ(state(), "succeeded");
  EXPECT_EQ(message(), "2 ranks finished");
  EXPECT_TRUE(run_.run_end().at("cause").is_null());
  ASSERT_EQ(run_.events("head_started").size(), 1u);
  EXPECT_EQ(run_.events("head_started")[0].fields.at("pid"), head_->pid());
  EXPECT_EQ(run_.events("attempt_started")[0].fields.at("master_address"), "127.0.0.1");
  EXPECT_EQ(run_.events("rank_started").size(), 2u);
  EXPECT_EQ(run_.events("rank_exited").size(), 2u);
  EXPECT_EQ(run_.events("attempt_ended")[0].fields.at("outcome"), "succeeded");
}

TEST_F(LocalHead, NamesTheRankThatFailed) {
  EXPECT_EQ(run(plan(3, "echo $$ >> pids; [ $RANK = 1 ] || exec sleep 1000; echo broken >&2; exit 3")), 1);
  EXPECT_EQ(state(), "failed");
  const auto cause = run_.run_end().at("cause");
  EXPECT_EQ(cause.at("rank"), 1);
  EXPECT_EQ(cause.at("code"), 3);
  EXPECT_EQ(cause.at("stderr_tail"), "broken\n");
  EXPECT_TRUE(message().ends_with("ended with exit code 3; the other 2 ranks were stopped")) << message();
  expect_all_gone();
}

TEST_F(LocalHead, ATrainerMustSayThatItIsDone) {
  LaunchPlan early = plan(1, "exit 0");
  early.program = ProgramKind::trainer;
  EXPECT_EQ(run(early), 1);
  EXPECT_NE(message().find("before the training was done"), std::string::npos);
}

TEST_F(LocalHead, AnUnusablePlanIsExitThree) {
  AgentProcess without_plan({"head", "--run-dir", run_.path()}, EnvMap::capture());
  EXPECT_EQ(without_plan.wait(), 3);
  LaunchPlan elsewhere = plan(1, "true");
  elsewhere.run_dir = run_.beside("other");
  EXPECT_EQ(run(elsewhere), 3);
  EXPECT_FALSE(std::filesystem::exists(run_.folder().attempt(0)));
}

TEST_F(LocalHead, MisuseIsExitTwo) {
  AgentProcess agent({"head"}, EnvMap::capture());
  EXPECT_EQ(agent.wait(), 2);
}

TEST_F(LocalHead, InterruptAndTermination) {
  for (const auto& [signal, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    std::filesystem::remove(run_.path() / "pids");
    start(plan(2, kSleep));
    ASSERT_TRUE(ranks_are_there(2));
    head_->send(signal);
    EXPECT_EQ(head_->wait(), code);
    EXPECT_EQ(state(), "cancelled");
    expect_all_gone();
  }
}

TEST_F(LocalHead, ACancelRecordSaysWhoStopped) {
  start(plan(2, kSleep));
  ASSERT_TRUE(ranks_are_there(2));
  request_cancel();
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 130);
  EXPECT_EQ(state(), "cancelled");
  EXPECT_EQ(run_.events("stop_requested")[0].fields.at("reason"), "cancel");
}

TEST_F(LocalHead, ACancelBeforeTheStartStartsNothing) {
  request_cancel();
  EXPECT_EQ(run(plan(1, kSleep)), 130);
  EXPECT_EQ(state(), "cancelled");
  EXPECT_TRUE(run_.events("rank_started").empty());
}

TEST_F(LocalHead, ACancelOfAnEarlierSubmissionIsForgotten) {
  request_cancel();
  auto writer = LedgerWriter::open(run_.folder(), "submit");
  ASSERT_TRUE(writer && writer->append("submit_intent", {{"token", "t"}}));
  EXPECT_EQ(run(plan(1, "true")), 0);
}

TEST_F(LocalHead, ACancelIsForTheSubmissionThatItNames) {
  auto submitter = LedgerWriter::open(run_.folder(), "submit");
  ASSERT_TRUE(submitter && submitter->append("submit_intent", {{"token", "t"}}));
  auto canceller = LedgerWriter::open(run_.folder(), "cancel-1");
  ASSERT_TRUE(canceller && canceller->append("cancel_requested", {{"token", "earlier"}}));
  EXPECT_EQ(run(plan(1, "true")), 0);
}

TEST_F(LocalHead, RanksThatIgnoreTermAreKilledAfterTheGrace) {
  LaunchPlan stubborn = plan(2, kSleepWithOrphan);
  stubborn.grace_period = std::chrono::seconds(1);
  start(stubborn);
  ASSERT_TRUE(ranks_are_there(4));
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  EXPECT_TRUE(message().ends_with("2 ranks had to be killed")) << message();
  EXPECT_EQ(run_.exit_record(0).ended_by, EndedBy::agent);
  expect_all_gone();
}

TEST_F(LocalHead, ASecondSignalDoesNotWaitForTheGrace) {
  start(plan(2, kSleepWithOrphan));
  ASSERT_TRUE(ranks_are_there(4));
  head_->send(SIGTERM);
  ASSERT_TRUE(eventually([&] { return !run_.events("stop_requested").empty(); }));
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  expect_all_gone();
}

TEST_F(LocalHead, TheTimeLimitIsKept) {
  LaunchPlan limited = plan(1, kSleep);
  limited.time_limit = std::chrono::seconds(1);
  EXPECT_EQ(run(limited), 1);
  EXPECT_EQ(state(), "timed_out");
  EXPECT_EQ(run_.events("stop_requested")[0].fields.at("reason"), "time_limit");
}

TEST_F(LocalHead, StopsWhenTheSubmitterIsGone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  start(plan(1, kSleep), "", read_end.get());
  ASSERT_TRUE(ranks_are_there(1));
  write_end = FileDescriptor();
  EXPECT_EQ(head_->wait(), 130);
  EXPECT_EQ(run_.events("stop_requested")[0].fields.at("reason"), "detached_submitter");
  expect_all_gone();
}

TEST_F(LocalHead, SecretsReachTheRanksAndAreGoneAfterwards) {
  std::ofstream(run_.folder().secrets()) << R"({"TOKEN": "abc"})";
  EXPECT_EQ(run(plan(1, "echo $TOKEN")), 0);
  EXPECT_EQ(read_file(run_.folder().out(0, 0)), "abc\n");
  EXPECT_FALSE(std::filesystem::exists(run_.folder().secrets()));
}

TEST_F(LocalHead, WorksWithFewDescriptors) {
  EXPECT_EQ(run(plan(30, "true"), "ulimit -n 64"), 0);
}

TEST_F(LocalHead, SaysThatThereAreTooFewDescriptors) {
  EXPECT_EQ(run(plan(30, "true"), "ulimit -n 24"), 1);
  EXPECT_NE(message().find("Too many open files"), std::string::npos) << message();
}

TEST_F(LocalHead, ALimitOfTheSizeOfFilesIsTold) {
  EXPECT_EQ(run(plan(1, "true"), "ulimit -f 0"), kExitUnclaimed);
}

TEST_F(LocalHead, RanksHaveDefaultSignals) {
  EXPECT_EQ(run(plan(1, "exec grep SigIgn /proc/self/status"), "trap '' PIPE USR1"), 0);
  EXPECT_EQ(read_file(run_.folder().out(0, 0)), "SigIgn:\t0000000000000000\n");
}

TEST_F(LocalHead, WorksWithoutStandardStreams) {
  EXPECT_EQ(run(plan(2, "true"), "exec <&- >&- 2>&-"), 0);
}

TEST_F(LocalHead, WorksWhenSignalsWereIgnoredBefore) {
  start(plan(1, kSleep), "trap '' TERM CHLD PIPE USR2");
  ASSERT_TRUE(ranks_are_there(1));
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
}

TEST_F(LocalHead, ARankThatIsKilledIsNamed) {
  start(plan(4, kSleepWithOrphan));
  ASSERT_TRUE(ranks_are_there(8));
  ASSERT_TRUE(eventually([&] { return run_.events("rank_started").size() == 4; }));
  int victim = 0;
  for (const LedgerEvent& event : run_.events("rank_started")) {
    if (event.fields.at("rank") == 2) victim = event.fields.at("pid");
  }
  kill(victim, SIGKILL);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(run_.run_end().at("cause").at("rank"), 2);
  EXPECT_TRUE(message().ends_with("was killed by signal 9 (KILL); the other 3 ranks were stopped"))
      << message();
  expect_all_gone();
}

TEST_F(LocalHead, WhenItIsKilledNothingIsLeft) {
  start(plan(4, kSleepWithOrphan));
  ASSERT_TRUE(ranks_are_there(8));
  head_->send(SIGKILL);
  EXPECT_EQ(head_->wait(), 128 + SIGKILL);
  expect_all_gone();
}

TEST_F(LocalHead, WhenTheGuardIsKilledNothingIsLeftAndItIsNamed) {
  start(plan(4, kSleepWithOrphan));
  ASSERT_TRUE(ranks_are_there(8));
  ASSERT_TRUE(eventually([&] { return !run_.events("rank_started").empty(); }));
  const int rank = run_.events("rank_started")[0].fields.at("pid");
  const std::string status = read_file("/proc/" + std::to_string(rank) + "/status");
  kill(std::stoi(status.substr(status.find("PPid:") + 5)), SIGKILL);
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_NE(message().find("the guard of the ranks on"), std::string::npos) << message();
  EXPECT_TRUE(message().ends_with("was killed by signal 9 (KILL); the other 3 ranks were stopped"))
      << message();
  expect_all_gone();
}

TEST_F(LocalHead, AFailedAttemptIsFollowedByAnother) {
  LaunchPlan restarting = plan(2, "echo attempt $DDPSUBMIT_ATTEMPT; [ $DDPSUBMIT_ATTEMPT != 0 ] || exit 7");
  restarting.max_restarts = 1;
  EXPECT_EQ(run(restarting), 0) << message();
  EXPECT_EQ(message(), "2 ranks finished, 1 restart");
  EXPECT_EQ(read_file(run_.folder().out(1, 1)), "attempt 1\n");
  EXPECT_EQ(run_.exit_record(0).attempt, 0);
  ASSERT_EQ(run_.events("restarting").size(), 1u);
  const auto restart = run_.events("restarting")[0].fields;
  EXPECT_EQ(restart.at("attempt"), 0);
  EXPECT_EQ(restart.at("next_attempt"), 1);
  EXPECT_EQ(restart.at("cause").at("code"), 7);
  EXPECT_TRUE(restart.at("lost_steps").is_null()) << "of a command no step is known";
  EXPECT_EQ(run_.events("attempt_ended").size(), 2u);
  EXPECT_EQ(run_.events("head_started").size(), 1u);
  EXPECT_EQ(run_.folder().highest_attempt(), 1);
}

TEST_F(LocalHead, NothingOfAnAttemptIsLeftWhenTheNextOneStarts) {
  LaunchPlan restarting =
      plan(2,
           "if [ $DDPSUBMIT_ATTEMPT = 1 ]; then\n"
           "  for pid in $(cat pids); do kill -0 $pid && exit 9; done\n"
           "  exit 0\n"
           "fi\n"
           "setsid sh -c 'echo $$ >> pids; exec sleep 1000' & echo $$ >> pids\n"
           "[ $RANK = 0 ] || { until [ $(wc -l < pids) = 4 ]; do sleep 0.01; done; exit 7; }\n"
           "exec sleep 1000");
  restarting.max_restarts = 1;
  EXPECT_EQ(run(restarting), 0) << message();
  EXPECT_EQ(read_numbers(run_.path() / "pids").size(), 4u);
}

TEST_F(LocalHead, GivesUpWhenTheRestartsAreUsedUp) {
  LaunchPlan restarting = plan(1, "exit $((DDPSUBMIT_ATTEMPT + 3))");
  restarting.max_restarts = 2;
  EXPECT_EQ(run(restarting), 1);
  EXPECT_TRUE(
      message().ends_with("ended with exit code 5. Not restarted: 3 attempts failed "
                          "(fault_tolerance.max_restarts is 2). First failure: " +
                          run_.events("restarting")[0].fields.at("message").get<std::string>()))
      << message();
  EXPECT_EQ(run_.run_end().at("cause").at("code"), 5);
}

TEST_F(LocalHead, AProgramThatIsNotThereIsTriedOnce) {
  LaunchPlan hopeless = plan(2, "");
  hopeless.argv = {"/nowhere/program"};
  hopeless.max_restarts = 3;
  EXPECT_EQ(run(hopeless), 1);
  EXPECT_TRUE(run_.events("restarting").empty());
}

TEST_F(LocalHead, TheTimeLimitCoversAllAttempts) {
  LaunchPlan limited = plan(1, "sleep 0.6; kill -9 $$");
  limited.max_restarts = 1000;
  limited.time_limit = std::chrono::seconds(2);
  EXPECT_EQ(run(limited), 1);
  EXPECT_EQ(state(), "timed_out");
  EXPECT_GE(run_.events("restarting").size(), 1u);
}

TEST_F(LocalHead, ACancelRecordKeepsTheNextAttemptFromStarting) {
  LaunchPlan restarting = plan(1, "echo $$ >> pids; until [ -e leave ]; do sleep 0.01; done; exit 1");
  restarting.max_restarts = 3;
  start(restarting);
  ASSERT_TRUE(ranks_are_there(1));
  request_cancel();
  std::ofstream(run_.path() / "leave") << "";
  EXPECT_EQ(head_->wait(), 130);
  EXPECT_EQ(state(), "cancelled");
  EXPECT_EQ(read_numbers(run_.path() / "pids").size(), 1u);
}

TEST_F(LocalHead, WhenALaterAttemptIsClaimedItLeavesTheLastWordToThatOne) {
  LaunchPlan quick = plan(2, kSleepWithOrphan);
  quick.waits.pulse = std::chrono::milliseconds(200);
  start(quick);
  ASSERT_TRUE(ranks_are_there(4));
  ASSERT_TRUE(run_.folder().claim_attempt("nonce", "", 0));
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_TRUE(run_.events("run_ended").empty());
  expect_all_gone();
}

TEST_F(LocalHead, AStoppedGuardDoesNotHoldUpTheEnd) {
  start(plan(1, kSleepWithOrphan));
  ASSERT_TRUE(ranks_are_there(2));
  ASSERT_TRUE(eventually([&] { return !run_.events("rank_started").empty(); }));
  const int rank = run_.events("rank_started")[0].fields.at("pid");
  const std::string status = read_file("/proc/" + std::to_string(rank) + "/status");
  kill(std::stoi(status.substr(status.find("PPid:") + 5)), SIGSTOP);
  head_->send(SIGTERM);
  ASSERT_TRUE(eventually([&] { return !run_.events("stop_requested").empty(); }));
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  expect_all_gone();
}

}  // namespace
}  // namespace ddp::agent
