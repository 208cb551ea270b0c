#include "jobenv/agent/process/guarded_processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;

/// A shell under a guard, until nothing of it is left.
class Guarded : public testing::Test {
 protected:
  void run(const std::string& command, const Waits& waits) {
    auto loop = EventLoop::create({}, [](int) {});
    ASSERT_TRUE(loop);
    GuardedProcesses processes(
        **loop, waits,
        {[this](const GuardReport& report) {
           if (report.kind == GuardReport::Kind::exited) reported_ = report.value;
         },
         [this](pid_t, int, const std::string& why) { swept_ = why; }, [&loop] { (*loop)->quit(); }});
    ASSERT_TRUE(processes.start({shell(command)}));
    (*loop)->run();
  }

  [[nodiscard]] GuardedProcess shell(const std::string& command) const {
    GuardedProcess process;
    process.argv = {"sh", "-c", command};
    process.programs = {"/bin/sh"};
    process.environment = {"PATH=/usr/bin:/bin"};
    process.work_dir = folder_.path();
    process.out = folder_ / "out";
    process.err = folder_ / "err";
    return process;
  }

  /// A shell with a mark, which is sent TERM once it has printed a line; `then` follows when the first
  /// process of it is gone.
  void stop(const std::string& command, const std::function<void(GuardedProcesses&)>& then = {}) {
    auto loop = EventLoop::create({}, [](int) {});
    ASSERT_TRUE(loop);
    pid_t pid = 0;
    GuardedProcesses processes(**loop, Waits{},
                               {[&](const GuardReport& report) {
                                  if (report.kind == GuardReport::Kind::started) pid = report.value;
                                  if (report.kind != GuardReport::Kind::exited) return;
                                  reported_ = report.value;
                                  killed_ = report.killed;
                                  outlived_ = report.outlived;
                                },
                                [](pid_t, int, const std::string&) {}, [&loop] { (*loop)->quit(); }});
    GuardedProcess process = shell(command);
    process.mark = "MARK=1";
    process.environment.push_back(process.mark);
    ASSERT_TRUE(processes.start({process}));
    bool has_ended = false;
    std::function<void()> look = [&] {
      std::error_code not_yet;
      const auto size = std::filesystem::file_size(folder_ / "out", not_yet);
      if (processes.last_signal() == 0 && !not_yet && size > 0) processes.signal(SIGTERM);
      if (!has_ended && pid > 0 && ::kill(pid, 0) != 0) {
        has_ended = true;
        if (then) then(processes);
      }
      (*loop)->after(milliseconds(10), look);
    };
    (*loop)->after(milliseconds(10), look);
    (*loop)->run();
  }
  /// A shell that takes a moment to obey TERM, and prints that it has.
  static std::string saver(const std::string& prefix) {
    return prefix +
           " sh -c 'trap \"sleep 0.3; echo saved; exit 0\" TERM; echo; while :; do sleep 0.02; done'";
  }
  [[nodiscard]] bool saved() const {
    std::ifstream out(folder_ / "out");
    return std::string(std::istreambuf_iterator<char>(out), {}).ends_with("saved\n");
  }

  TemporaryFolder folder_;
  std::optional<int> reported_;
  std::optional<std::string> swept_;
  std::string killed_;
  bool outlived_ = false;
};

/// `pulse` is also the time that a guard has to answer after CONT.
Waits short_waits(milliseconds pulse) {
  Waits waits;
  waits.pulse = pulse;
  waits.lease = milliseconds(100);
  return waits;
}

TEST_F(Guarded, ARankThatStopsItsGuardDoesNotHangTheRun) {
  run("kill -STOP $PPID; exit 3", short_waits(std::chrono::seconds(2)));
  ASSERT_TRUE(reported_);
  EXPECT_EQ(WEXITSTATUS(*reported_), 3);
  EXPECT_FALSE(swept_);
}

TEST_F(Guarded, AGuardThatDoesNotComeBackIsKilledAndItsSilenceIsTheReason) {
  run("while :; do kill -STOP $PPID; done", short_waits(milliseconds(20)));
  ASSERT_TRUE(swept_);
  EXPECT_THAT(*swept_, testing::MatchesRegex("did not answer for [0-9]+ s, not even after SIGCONT"));
}

TEST_F(Guarded, AShellThatObeysIsThereUntilWhatItLeavesBehindHasEnded) {
  for (const char* prefix : {"", "setsid", "env -i PATH=$PATH"}) {
    stop(saver(prefix) + "; echo after");
    ASSERT_TRUE(reported_) << prefix;
    EXPECT_EQ(*reported_, W_EXITCODE(0, SIGTERM)) << prefix;
    EXPECT_EQ(killed_, "") << prefix;
    EXPECT_TRUE(outlived_) << prefix;
    EXPECT_TRUE(saved()) << prefix;
    std::filesystem::remove(folder_ / "out");
  }
}

// Slurm signals one process after the other: a shell sees its program die, and goes on, before it is told.
TEST_F(Guarded, AShellThatEndsBeforeWordOfTheStopComesIsThereUntilWhatItLeavesBehindHasEnded) {
  for (const int code : {0, 128 + SIGTERM}) {
    stop("(sleep 0.1; " + saver("exec") + ") & exit " + std::to_string(code));
    EXPECT_EQ(reported_, W_EXITCODE(code, 0));
    EXPECT_TRUE(outlived_) << code;
    EXPECT_TRUE(saved()) << code;
    std::filesystem::remove(folder_ / "out");
  }
}

TEST_F(Guarded, AShellThatEndsWellWithoutAStopWaitsForItsHelpersForAMomentOnly) {
  stop("sleep 1000 & exit 0");
  EXPECT_EQ(reported_, W_EXITCODE(0, 0));
  EXPECT_TRUE(outlived_);
  EXPECT_EQ(killed_, "");
}

TEST_F(Guarded, AShellThatEndsWellKeepsItsCodeIfItsHelperIsKilledInAStop) {
  stop("trap '' TERM; (sleep 0.1; echo; while :; do sleep 0.02; done) & exit 0",
       [](GuardedProcesses& processes) {
         processes.signal(SIGTERM);
         processes.kill();
       });
  EXPECT_EQ(reported_, W_EXITCODE(0, 0));
  EXPECT_NE(killed_, "");
}

TEST_F(Guarded, AProgramBehindAShellGetsASignalOnce) {
  stop(
      "sh -c 'trap \"echo term\" TERM; echo; for i in 1 2 3 4 5 6 7 8 9; do sleep 0.03; done; echo saved'; "
      "echo after");
  ASSERT_TRUE(saved());
  std::ifstream out(folder_ / "out");
  const std::string text(std::istreambuf_iterator<char>(out), {});
  EXPECT_EQ(text.find("term"), text.rfind("term")) << text;
}

TEST_F(Guarded, WhatLivesOnIsNamedWhenItIsKilled) {
  stop("sh -c 'trap \"\" TERM; echo; while :; do sleep 0.02; done'; echo after",
       [](GuardedProcesses& processes) { processes.kill(); });
  EXPECT_EQ(reported_, W_EXITCODE(0, SIGKILL));
  // What the shell has forked is a shell until it is a sleep.
  EXPECT_THAT(killed_, testing::MatchesRegex("sh \\(pid [0-9]+\\)(, (sh|sleep) \\(pid [0-9]+\\))?"));
}

TEST_F(Guarded, AShellThatEndsByItselfOrCrashesHoldsNothing) {
  for (const char* end : {"exit 3", "kill -SEGV $$"}) {
    stop(std::string("sleep 1000 & ") + end);
    ASSERT_TRUE(reported_) << end;
    EXPECT_FALSE(outlived_) << end;
  }
}

TEST_F(Guarded, AGuardThatIsStoppedForLessThanTheLeaseIsNoFailure) {
  run("kill -STOP $PPID; sleep 0.2; kill -CONT $PPID; exit 4", Waits{});
  ASSERT_TRUE(reported_);
  EXPECT_EQ(WEXITSTATUS(*reported_), 4);
  EXPECT_FALSE(swept_);
}

}  // namespace
}  // namespace ddp::agent
