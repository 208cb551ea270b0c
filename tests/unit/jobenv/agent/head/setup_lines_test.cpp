#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "jobenv/agent/connection/socket_address.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "tests/support/places.hpp"
#include "tests/unit/jobenv/agent/agent_process.hpp"
#include "tests/unit/jobenv/agent/eventually.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"
#include "tests/unit/jobenv/agent/strangers.hpp"

namespace ddp::agent {
namespace {

/// `ddp-agent head` of a local run whose plan has set-up lines.
class SetupLines : public testing::Test {
 protected:
  void start(std::vector<std::string> setup, const std::string& script, int ranks = 1, int inherited = -1) {
    LaunchPlan plan = make_plan(run_.path(), ranks, script);
    plan.agent = build_path("bin/ddp-agent");
    plan.setup = std::move(setup);
    plan.max_restarts = max_restarts_;
    plan.rendezvous_timeout = std::chrono::seconds(1);
    plan.waits.drain = drain_;
    run_.save(plan);
    std::filesystem::create_directories(run_.folder().head_log().parent_path());
    std::vector<std::string> arguments = {"head", "--run-dir", run_.path()};
    if (inherited >= 0) arguments.insert(arguments.end(), {"--attached-fd", std::to_string(inherited)});
    head_.emplace(arguments, EnvMap::capture(), "", inherited);
  }
  int run(std::vector<std::string> setup, const std::string& script, int ranks = 1) {
    start(std::move(setup), script, ranks);
    return head_->wait();
  }
  [[nodiscard]] std::vector<int> pids() const { return read_numbers(run_.path() / "pids"); }
  [[nodiscard]] bool processes_are_there(std::size_t count) const {
    return eventually([&] { return pids().size() >= count; });
  }
  void expect_all_gone() const {
    for (const int pid : pids()) {
      EXPECT_TRUE(eventually([pid] { return !is_running(pid); })) << "process " << pid;
    }
  }
  [[nodiscard]] std::string state() const { return run_.run_end().value("state", ""); }
  [[nodiscard]] std::string message() const { return run_.run_end().value("message", ""); }

  RunFixture run_;
  std::optional<AgentProcess> head_;
  int max_restarts_ = 0;
  std::chrono::milliseconds drain_ = Waits{}.drain;
};

/// A line that takes longer than a test, with a process in a session of its own besides.
constexpr const char* kEndless =
    "setsid sh -c 'echo $$ >> pids; exec sleep 1000' & sh -c 'echo $$ >> pids; exec sleep 1000'";
constexpr const char* kRank = "echo $$ >> pids; exec sleep 1000";

TEST_F(SetupLines, WhatTheyChangeHoldsForTheRanks) {
  EXPECT_EQ(
      run({"export MODULE=cuda-13", "umask 027", "ulimit -c 0"}, "echo $MODULE $(umask) $(ulimit -c)", 2), 0);
  EXPECT_EQ(read_file(run_.folder().out(0, 0)), "cuda-13 0027 0\n");
  EXPECT_EQ(read_file(run_.folder().out(0, 1)), "cuda-13 0027 0\n");
  EXPECT_EQ(state(), "succeeded");
}

TEST_F(SetupLines, MayTakeLongerThanTheRendezvous) {
  EXPECT_EQ(run({"sleep 1.5"}, "true"), 0);
}

TEST_F(SetupLines, TheFirstThatFailsEndsTheRun) {
  EXPECT_EQ(run({"true", "sh -c 'exit 3'", "touch reached"}, "touch reached"), 1);
  EXPECT_EQ(state(), "failed");
  EXPECT_EQ(message(),
            "environment.setup ended with exit code 3 in line 2: `sh -c 'exit 3'` (see logs/head.log) before "
            "any agent had connected");
  EXPECT_FALSE(std::filesystem::exists(run_.path() / "reached"));
}

TEST_F(SetupLines, NoLineIsNamedThatIsNotKnown) {
  EXPECT_EQ(run({"eval $'true\\ntrue\\nfalse\\n'", "true", "true"}, "true"), 1);
  EXPECT_EQ(message(),
            "environment.setup ended with exit code 1 (see logs/head.log) before any agent had connected");
}

TEST_F(SetupLines, AReportThatCannotBeWrittenIsLeftOut) {
  EXPECT_EQ(run({"mkdir setup-failure", "false"}, "true"), 1);
  EXPECT_EQ(message(),
            "environment.setup ended with exit code 1 (see logs/head.log) before any agent had connected");
}

TEST_F(SetupLines, ALineThatEndsWithACodeOfTheAgentsIsNotTakenForOne) {
  EXPECT_EQ(run({"exit 69"}, "true"), 1);
  EXPECT_EQ(message(),
            "environment.setup ended with exit code 69 (see logs/head.log) before any agent had connected");
}

TEST_F(SetupLines, AHeadThatGivesNoWelcomeIsNamedAsTheCause) {
  // A port where somebody takes connections, and says nothing.
  const FileDescriptor silent(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = SocketAddress::parse("127.0.0.1", 0).value();
  ASSERT_EQ(bind(silent.get(), address.data(), address.size()), 0);
  ASSERT_EQ(listen(silent.get(), 16), 0);
  const std::string endpoint = SocketAddress::local_end(silent.get())->endpoint();
  EXPECT_EQ(run({"export DDPSUBMIT_HEAD=" + endpoint}, "true"), 1);
  EXPECT_EQ(message(), "head did not accept an agent (see logs/head.log) before any agent had connected");
  const std::string tail = run_.run_end().at("cause").value("stderr_tail", "");
  EXPECT_NE(tail.find(endpoint + ": no reply"), std::string::npos) << tail;
}

TEST_F(SetupLines, WhatIsNoHelloEndsItsConnectionAndNotHead) {
  EXPECT_EQ(
      run({"exec 9<>/dev/tcp/${DDPSUBMIT_HEAD%:*}/${DDPSUBMIT_HEAD##*:}",
           R"(printf '%s\n{"schema":"hello","host":"a","interface":"","ranks":5}\n' $DDPSUBMIT_NONCE >&9)",
           "cat <&9 >answer", "exec 9>&-"},
          "echo began"),
      0)
      << message();
  EXPECT_EQ(read_file(run_.folder().out(0, 0)), "began\n");
  EXPECT_EQ(read_file(run_.path() / "answer"), "");
}

/// A run that starts while a thousand strangers are at head's port.
class CrowdedSetupLines : public SetupLines,
                          public testing::WithParamInterface<std::pair<Stranger, Insistence>> {};

TEST_P(CrowdedSetupLines, TheRanksBeginTheirWork) {
  start({"echo $DDPSUBMIT_HEAD > endpoint", "until [ -e crowded ]; do sleep 0.01; done"}, "echo began");
  std::string endpoint;
  ASSERT_TRUE(eventually([&] {
    endpoint = read_file(run_.path() / "endpoint");
    return endpoint.ends_with('\n');
  }));
  endpoint.pop_back();
  Strangers strangers(endpoint, GetParam().first, GetParam().second);
  ASSERT_TRUE(eventually([&] { return strangers.are_there(); }));
  std::ofstream(run_.path() / "crowded") << "";
  EXPECT_EQ(head_->wait(), 0) << message();
  EXPECT_EQ(read_file(run_.folder().out(0, 0)), "began\n");
}

INSTANTIATE_TEST_SUITE_P(Strangers, CrowdedSetupLines,
                         testing::Values(std::pair(Stranger::idle, Insistence::stays),
                                         std::pair(Stranger::idle, Insistence::reconnects),
                                         std::pair(Stranger::half_a_nonce, Insistence::reconnects),
                                         std::pair(Stranger::garbage, Insistence::reconnects),
                                         std::pair(Stranger::slow, Insistence::reconnects)));

TEST_F(SetupLines, TheReportOfTheFailureIsGoneWithIt) {
  EXPECT_EQ(run({"false"}, "true"), 1);
  EXPECT_NE(message().find("in line 1: `false`"), std::string::npos) << message();
  EXPECT_FALSE(std::filesystem::exists(run_.path() / "setup-failure"));
}

TEST_F(SetupLines, SeeTheirOwnLastArgument) {
  EXPECT_EQ(run({"mkdir -p one/two", "export MADE=$_"}, "echo $MADE"), 0);
  EXPECT_EQ(read_file(run_.folder().out(0, 0)), "one/two\n");
}

TEST_F(SetupLines, TheLocksThatTheyTakeAreHeldDuringTheRun) {
  EXPECT_EQ(run({"for fd in 3 4 5 6 7 8 9; do eval \"exec $fd>lock.$fd\"; flock -n $fd; done"},
                "for fd in 3 4 5 6 7 8 9; do flock -n lock.$fd echo \"$fd is free\" || true; done"),
            0);
  EXPECT_EQ(read_file(run_.folder().out(0, 0)), "");
}

TEST_F(SetupLines, TheTailOfAFailureUnderXtraceIsTheirs) {
  EXPECT_EQ(run({"set -x", "readonly line code", "false"}, "true"), 1);
  EXPECT_EQ(run_.run_end().at("cause").value("stderr_tail", ""), "+ readonly line code\n+ false\n");
}

TEST_F(SetupLines, WhatBashSaysOfThemIsToldWithTheCause) {
  EXPECT_EQ(run({"true", "no-such-module load"}, "true"), 1);
  const std::string tail = run_.run_end().at("cause").value("stderr_tail", "");
  EXPECT_NE(tail.find("environment.setup: line 2: no-such-module"), std::string::npos) << tail;
}

TEST_F(SetupLines, AStopReachesThem) {
  start({kEndless}, kRank);
  ASSERT_TRUE(processes_are_there(2));
  head_->send(SIGTERM);
  EXPECT_EQ(head_->wait(), 143);
  EXPECT_EQ(state(), "cancelled");
  EXPECT_EQ(message(), "interrupted by SIGTERM before the ranks had started");
  expect_all_gone();
}

TEST_F(SetupLines, LinesThatIgnoreTermAreKilled) {
  start({"trap '' TERM", kEndless}, kRank);
  ASSERT_TRUE(processes_are_there(2));
  head_->send(SIGINT);
  EXPECT_EQ(head_->wait(), 130);
  expect_all_gone();
}

TEST_F(SetupLines, EndWithTheSubmitter) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  start({kEndless}, kRank, 1, read_end.get());
  ASSERT_TRUE(processes_are_there(2));
  write_end = FileDescriptor();
  EXPECT_EQ(head_->wait(), 130);
  expect_all_gone();
}

TEST_F(SetupLines, EndWithHead) {
  start({kEndless}, kRank);
  ASSERT_TRUE(processes_are_there(2));
  head_->send(SIGKILL);
  EXPECT_EQ(head_->wait(), 128 + SIGKILL);
  expect_all_gone();
}

TEST_F(SetupLines, AServiceThatTheyStartLivesAsLongAsTheRun) {
  EXPECT_EQ(
      run({"setsid sh -c 'echo $$ >> pids; exec sleep 1000' &", "until [ -s pids ]; do sleep 0.01; done"},
          "kill -0 $(cat pids) && echo up"),
      0);
  EXPECT_EQ(read_file(run_.folder().out(0, 0)), "up\n");
  expect_all_gone();
}

TEST_F(SetupLines, WhenHeadIsKilledNoRankIsLeft) {
  start({"echo $$ >> pids"}, kRank, 2);
  ASSERT_TRUE(processes_are_there(3));
  head_->send(SIGKILL);
  EXPECT_EQ(head_->wait(), 128 + SIGKILL);
  expect_all_gone();
}

TEST_F(SetupLines, WhenTheAgentIsKilledNothingIsLeftAndItIsNamed) {
  drain_ = std::chrono::seconds(3);
  start({"echo $$ >> pids"}, kRank, 2);
  ASSERT_TRUE(processes_are_there(3));
  kill(pids().front(), SIGKILL);  // the shell, which has become the agent
  EXPECT_EQ(head_->wait(), 1);
  EXPECT_EQ(message().rfind("lost the agent on ", 0), 0u) << message();
  EXPECT_EQ(message().find("did not confirm"), std::string::npos) << message();
  expect_all_gone();
}

TEST_F(SetupLines, WhenTheAgentIsKilledTheyAreRunAgainForTheNextAttempt) {
  drain_ = std::chrono::seconds(3);
  max_restarts_ = 1;
  start({"echo $$ >> pids"}, "[ $DDPSUBMIT_ATTEMPT = 0 ] || exit 0; echo $$ >> pids; exec sleep 1000", 2);
  ASSERT_TRUE(processes_are_there(3));
  kill(pids().front(), SIGKILL);
  EXPECT_EQ(head_->wait(), 0) << message();
  EXPECT_EQ(pids().size(), 4u);
  expect_all_gone();
}

TEST_F(SetupLines, AFailedRankIsFollowedByAnotherUnderTheSameShell) {
  max_restarts_ = 1;
  EXPECT_EQ(run({"echo $$ >> pids"}, "exit $((1 - DDPSUBMIT_ATTEMPT))", 2), 0) << message();
  EXPECT_EQ(pids().size(), 1u);
}

TEST_F(SetupLines, LinesThatFailAreNotTriedAgain) {
  max_restarts_ = 3;
  EXPECT_EQ(run({"sh -c 'exit 3'"}, "true"), 1);
  EXPECT_TRUE(run_.events("restarting").empty());
}

TEST_F(SetupLines, ASignalToTheAgentIsNoStopOfTheRun) {
  start({"echo $$ >> pids"}, "echo $$ >> pids; until [ -e leave ]; do sleep 0.01; done");
  ASSERT_TRUE(processes_are_there(2));
  kill(pids().front(), SIGTERM);
  std::ofstream(run_.path() / "leave") << "";
  EXPECT_EQ(head_->wait(), 0);
  EXPECT_EQ(state(), "succeeded");
}

TEST_F(SetupLines, TheLastWordIsSpokenWhenTheyAreGone) {
  start({"trap '' TERM", kEndless}, kRank);
  ASSERT_TRUE(processes_are_there(2));
  head_->send(SIGTERM);
  ASSERT_TRUE(eventually([this] { return !run_.run_end().empty(); }));
  for (const int pid : pids()) EXPECT_FALSE(is_running(pid));
  EXPECT_EQ(head_->wait(), 143);
}

}  // namespace
}  // namespace ddp::agent
