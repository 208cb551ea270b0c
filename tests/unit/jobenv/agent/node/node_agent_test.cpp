#include "jobenv/agent/node/node_agent.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <sstream>

#include "ddp/jobenv/rank_contract.hpp"
#include "jobenv/agent/connection/socket_address.hpp"
#include "tests/support/use_launcher.hpp"
#include "tests/unit/jobenv/agent/eventually.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"
#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

/// A node agent in this process, whose ranks are real.
class Node : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
  }

  void create(LaunchPlan plan) {
    NodeAgentSettings settings{std::move(plan), EnvMap::capture(), "here", {}, std::nullopt};
    for (int rank = 0; rank < settings.plan.tasks_per_node; ++rank) settings.ranks.push_back({rank, rank, 0});
    agent_ =
        std::make_unique<NodeAgent>(*loop_, settings, [this](const AgentMessage& message) { take(message); });
  }
  void start() {
    agent_->handle(BindStore{"127.0.0.1"});
    agent_->handle(StartAttempt{0, "nonce", "127.0.0.1", port_, {"here"}, {0}, "127.0.0.1", std::nullopt});
  }
  void run_script(int ranks, const std::string& script) {
    create(make_plan(run_.path(), ranks, script));
    start();
  }

  template <class Predicate>
  bool run_until(Predicate holds) {
    return run_loop_until(*loop_, holds);
  }
  bool run_until_drained() {
    return run_until([this] { return drained_ || !failure_.empty(); });
  }
  bool file_has_lines(const std::string& name, std::size_t count) {
    return run_until([&] { return read_numbers(run_.path() / name).size() >= count; });
  }
  void expect_all_gone(const std::string& name) {
    for (const int pid : read_numbers(run_.path() / name)) {
      EXPECT_TRUE(eventually([pid] { return !is_running(pid); })) << "process " << pid;
    }
  }
  std::string out(int rank) { return read_file(run_.folder().out(0, rank)); }

  RunFixture run_;
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<NodeAgent> agent_;
  std::map<int, int> pids_;
  std::map<int, RankExited> exits_;
  int port_ = 0;
  bool drained_ = false;
  std::string failure_;

 private:
  void take(const AgentMessage& message) {
    std::visit(Overloaded{[this](const StoreBound& bound) { port_ = bound.port; },
                          [this](const RankStarted& started) { pids_[started.rank] = started.pid; },
                          [this](const RankExited& exited) { exits_[exited.record.rank] = exited; },
                          [this](const Drained&) { drained_ = true; },
                          [this](const AgentFailed& failed) { failure_ = failed.what; }, [](const auto&) {}},
               message);
  }
};

/// Leaves a grandchild in a session of its own behind, with its pid in `pids`, then writes the rank's own and
/// waits.
constexpr const char* kWithOrphan =
    "setsid sh -c 'echo $$ >> pids; exec sleep 1000' & "
    "until [ -s pids ]; do sleep 0.01; done; echo $$ >> pids; ";

TEST_F(Node, ReportsHowEachRankEnds) {
  run_script(3, "echo out $RANK; echo err $RANK >&2; [ $RANK = 2 ] && kill -SEGV $$; exit $RANK");
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(failure_, "");
  EXPECT_EQ(pids_.size(), 3u);
  EXPECT_EQ(exits_.at(0).record.code, 0);
  EXPECT_EQ(exits_.at(1).record.code, 1);
  EXPECT_EQ(exits_.at(2).record.signal, SIGSEGV);
  EXPECT_EQ(exits_.at(2).record.ended_by, EndedBy::itself);
  EXPECT_EQ(exits_.at(1).record.stderr_tail, "err 1\n");
  EXPECT_EQ(out(1), "out 1\n");
  EXPECT_EQ(run_.exit_record(2).signal, SIGSEGV);
  EXPECT_EQ(run_.exit_record(1).pid, pids_.at(1));
}

TEST_F(Node, SaysWhatCannotBeStarted) {
  LaunchPlan plan = make_plan(run_.path(), 1, "");
  plan.argv = {"no-such-program"};
  create(plan);
  start();
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).what, "cannot start 'no-such-program': No such file or directory");
  EXPECT_EQ(exits_.at(0).record.code, 127);
}

TEST_F(Node, AFailureOfSetUpLinesIsToldToEachWhoAsks) {
  LaunchPlan plan = make_plan(run_.path(), 1, "true");
  use_launcher(plan, "ssh");
  plan.setup = {"exit 3"};
  create(plan);
  agent_->handle(SetUpNode{});
  ASSERT_TRUE(run_until([this] { return !failure_.empty(); }));
  const std::string first = std::exchange(failure_, "");
  EXPECT_NE(first.find("ended with exit code 3"), std::string::npos) << first;
  agent_->handle(SetUpNode{});
  EXPECT_EQ(failure_, first);
}

TEST_F(Node, SaysWhatMayNotBeStarted) {
  LaunchPlan plan = make_plan(run_.path(), 1, "");
  plan.argv = {"./plan.txt"};
  std::ofstream(run_.path() / "plan.txt") << "echo never a shell\n";
  create(plan);
  start();
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).what, "cannot start './plan.txt': Permission denied");
  EXPECT_EQ(exits_.at(0).record.code, 126);
}

TEST_F(Node, AScriptWithoutAnInterpreterIsNotGivenToAShell) {
  LaunchPlan plan = make_plan(run_.path(), 1, "");
  plan.argv = {"./script"};
  std::ofstream(run_.path() / "script") << "echo never a shell\n";
  std::filesystem::permissions(run_.path() / "script", std::filesystem::perms::owner_all);
  create(plan);
  start();
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).what, "cannot start './script': Exec format error");
}

TEST_F(Node, SaysThatTheWorkingFolderIsGone) {
  LaunchPlan plan = make_plan(run_.path(), 1, "true");
  plan.work_dir = "/no/such/folder";
  create(plan);
  start();
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).what, "cannot enter the folder '/no/such/folder': No such file or directory");
  EXPECT_EQ(exits_.at(0).record.code, 126);
}

TEST_F(Node, SaysThatALogCannotBeOpened) {
  std::filesystem::create_directories(run_.folder().out(0, 0));
  run_script(1, "true");
  ASSERT_TRUE(run_until_drained());
  EXPECT_NE(exits_.at(0).what.find("Is a directory"), std::string::npos) << exits_.at(0).what;
}

TEST_F(Node, SaysThatItsFoldersCannotBeMade) {
  std::filesystem::remove(run_.path() / "logs");
  std::ofstream(run_.path() / "logs") << "a file";
  run_script(1, "true");
  EXPECT_NE(failure_.find("cannot create the folder"), std::string::npos) << failure_;
  EXPECT_FALSE(agent_->busy());
}

TEST_F(Node, TheProgramIsFoundInTheRanksOwnPath) {
  LaunchPlan plan = make_plan(run_.path(), 1, "");
  std::filesystem::create_directory(run_.path() / "bin");
  std::filesystem::create_symlink("/bin/true", run_.path() / "bin" / "my-program");
  plan.argv = {"my-program"};
  plan.set = {{"PATH", "/nowhere:" + (run_.path() / "bin").string()}};
  create(plan);
  start();
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).what, "");
  EXPECT_EQ(exits_.at(0).record.code, 0);
}

TEST_F(Node, WhatARankLeavesBehindIsKilled) {
  run_script(1, std::string(kWithOrphan) + "exit 0");
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).record.code, 0);
  ASSERT_EQ(read_numbers(run_.path() / "pids").size(), 2u);
  expect_all_gone("pids");
}

TEST_F(Node, KillEndsRanksThatIgnoreEverything) {
  run_script(2, "trap '' TERM INT HUP; echo $$ >> pids; while :; do sleep 1000; done");
  ASSERT_TRUE(file_has_lines("pids", 2));
  agent_->handle(KillRanks{});
  ASSERT_TRUE(run_until_drained());
  for (const int rank : {0, 1}) {
    EXPECT_EQ(exits_.at(rank).record.signal, SIGKILL);
    EXPECT_EQ(exits_.at(rank).record.ended_by, EndedBy::agent);
  }
  expect_all_gone("pids");
}

TEST_F(Node, KillEndsAStoppedRank) {
  run_script(1, "echo $$ >> pids; kill -STOP $$");
  ASSERT_TRUE(file_has_lines("pids", 1));
  agent_->handle(KillRanks{});
  EXPECT_TRUE(run_until_drained());
}

TEST_F(Node, StopReachesACommandsWholeGroup) {
  run_script(
      1,
      "sh -c 'trap \"echo child >> heard; exit\" TERM; echo $$ >> pids; while :; do sleep 0.05; done' & "
      "trap 'wait; echo parent >> heard; exit 5' TERM; echo $$ >> pids; wait");
  ASSERT_TRUE(file_has_lines("pids", 2));
  agent_->handle(StopRanks{SIGTERM});
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(read_file(run_.path() / "heard"), "child\nparent\n");
  EXPECT_EQ(exits_.at(0).record.code, 5);
  EXPECT_EQ(exits_.at(0).record.ended_by, EndedBy::itself);
}

TEST_F(Node, ADeathOfTheSignalThatWasSentIsTheAgents) {
  run_script(1, "echo $$ >> pids; exec sleep 1000");
  ASSERT_TRUE(file_has_lines("pids", 1));
  agent_->handle(StopRanks{SIGTERM});
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).record.signal, SIGTERM);
  EXPECT_EQ(exits_.at(0).record.ended_by, EndedBy::agent);
}

TEST_F(Node, ACommandThatHasTheSignalFromTheSchedulerDoesNotGetItTwice) {
  run_script(1, "trap 'echo x >> heard' TERM; echo $$ >> pids; while [ ! -e leave ]; do sleep 0.01; done");
  ASSERT_TRUE(file_has_lines("pids", 1));
  agent_->note_external_signal(SIGTERM);
  agent_->handle(StopRanks{SIGTERM});
  std::ofstream(run_.path() / "leave") << "";
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(read_file(run_.path() / "heard"), "");
}

TEST_F(Node, ACommandStartsWithSignalsAsAShellExpectsThem) {
  std::signal(SIGPIPE, SIG_IGN);
  run_script(1, "grep -E '^Sig(Blk|Ign)' /proc/self/status");
  std::signal(SIGPIPE, SIG_DFL);
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(out(0), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(Node, ATrainerStartsWithTheStopSignalsBlocked) {
  LaunchPlan plan = make_plan(run_.path(), 1, "");
  plan.program = ProgramKind::trainer;
  plan.argv = {"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"};  // a shell would empty the mask
  create(plan);
  start();
  ASSERT_TRUE(run_until_drained());
  // HUP 1, INT 2, USR1 10, USR2 12, TERM 15
  EXPECT_EQ(out(0), "SigBlk:\t0000000000004a03\nSigIgn:\t0000000000000000\n");
}

TEST_F(Node, ARankInheritsNothingButWhatIsItsOwn) {
  const FileDescriptor foreign(memfd_create("foreign", MFD_CLOEXEC));
  LaunchPlan plan = make_plan(run_.path(), 2, "");
  plan.argv = {"ls", "-l", "/proc/self/fd"};
  create(plan);
  start();
  ASSERT_TRUE(run_until_drained());
  std::multiset<std::string> targets;
  std::istringstream listing(out(1));
  for (std::string line; std::getline(listing, line);) {
    const std::size_t arrow = line.find(" -> ");
    if (arrow != std::string::npos) targets.insert(line.substr(arrow + 4));
  }
  std::erase_if(targets, [](const std::string& target) { return target.starts_with("/proc/"); });  // ls's own
  const std::string logs = run_.folder().logs(0);
  const std::multiset<std::string> expected = {"/dev/null", "/memfd:ddp-progress (deleted)",
                                               logs + "/rank-1.out", logs + "/rank-1.err"};
  EXPECT_EQ(targets, expected);
}

TEST_F(Node, OnlyRankZeroOfATrainerHasTheStore) {
  LaunchPlan plan =
      make_plan(run_.path(), 2,
                "readlink /proc/$$/fd/$DDPSUBMIT_STORE_FD | cut -c 1-6; echo ${DDPSUBMIT_STORE_FD:+set}");
  plan.program = ProgramKind::trainer;
  create(plan);
  start();
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(out(0), "socket\nset\n");
  EXPECT_EQ(out(1), "\n");
}

TEST_F(Node, TheStoresPortIsFreeWhenRankZeroIsGone) {
  LaunchPlan plan = make_plan(run_.path(), 2, "[ $DDPSUBMIT_RANK = 0 ] || exec sleep 1000");
  plan.program = ProgramKind::trainer;
  create(plan);
  start();
  ASSERT_TRUE(run_until([&] { return exits_.contains(0); }));
  const auto address = SocketAddress::parse("127.0.0.1", port_);
  // Until rank 1 has become its program it has a copy of the guard's descriptors.
  EXPECT_TRUE(eventually([&] {
    const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return connect(socket.get(), address->data(), address->size()) != 0;
  })) << "peers would hang in a queue that nobody serves";
  agent_->handle(KillRanks{});
  EXPECT_TRUE(run_until_drained());
}

TEST_F(Node, StepAndPhaseAreThoseOfThePage) {
  // version, phase, step, stop_requested, as 4, 4, 8 and 4 bytes
  run_script(1,
             "printf '\\001\\000\\000\\000\\002\\000\\000\\000\\170\\000\\000\\000\\000\\000\\000\\000' "
             "| dd of=/proc/self/fd/$DDPSUBMIT_PROGRESS_FD conv=notrunc status=none");
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).record.last_step, 120u);
  EXPECT_EQ(exits_.at(0).record.phase, Phase::checkpoint);
}

TEST_F(Node, AStopIsSeenInThePageOfATrainer) {
  LaunchPlan plan = make_plan(
      run_.path(), 1,
      "echo $$ >> pids; until od -An -tu4 -j16 -N4 /proc/self/fd/$DDPSUBMIT_PROGRESS_FD | grep -q 1; "
      "do sleep 0.01; done; exit 75");
  plan.program = ProgramKind::trainer;
  create(plan);
  start();
  ASSERT_TRUE(file_has_lines("pids", 1));
  agent_->handle(StopRanks{SIGTERM});
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).record.code, kExitStopped);
}

TEST_F(Node, WhenTheGuardIsKilledNothingIsLeftEither) {
  run_script(2, std::string(kWithOrphan) + "exec sleep 1000");
  ASSERT_TRUE(file_has_lines("pids", 4));
  const std::string stat = read_file("/proc/" + std::to_string(pids_.at(0)) + "/status");
  const int guard = std::stoi(stat.substr(stat.find("PPid:") + 5));
  ASSERT_NE(guard, getpid());
  kill(guard, SIGKILL);
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(exits_.at(0).what, "the guard of the ranks on here was killed by signal 9 (KILL)");
  EXPECT_EQ(exits_.at(1).record.signal, SIGKILL);
  expect_all_gone("pids");
}

TEST_F(Node, WhenTheAgentIsGoneTheGuardKillsEverything) {
  run_script(2, std::string(kWithOrphan) + "exec sleep 1000");
  ASSERT_TRUE(file_has_lines("pids", 4));
  agent_.reset();
  expect_all_gone("pids");
}

TEST_F(Node, RanksGetTheLimitOfDescriptorsThatTheAgentHadFirst) {
  LaunchPlan plan = make_plan(run_.path(), 1, "ulimit -Sn");
  NodeAgentSettings settings{plan, EnvMap::capture(), "here", {{0, 0, 0}}, rlimit{64, 128}};
  agent_ = std::make_unique<NodeAgent>(*loop_, settings, [this](const AgentMessage& message) {
    drained_ = drained_ || std::holds_alternative<Drained>(message);
  });
  start();
  ASSERT_TRUE(run_until_drained());
  EXPECT_EQ(out(0), "64\n");
}

TEST_F(Node, NamesAnInterfaceThatIsNotThere) {
  LaunchPlan plan = make_plan(run_.path(), 1, "true");
  plan.nodes = 2;
  plan.interface = "nic-that-is-not-there";
  create(plan);
  EXPECT_NE(agent_->hello().problem.find("nic-that-is-not-there"), std::string::npos);
}

}  // namespace
}  // namespace ddp::agent
