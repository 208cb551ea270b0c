#include "jobenv/agent/process/guarded_processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

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

  TemporaryFolder folder_;
  std::optional<int> reported_;
  std::optional<std::string> swept_;
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

TEST_F(Guarded, AGuardThatIsStoppedForLessThanTheLeaseIsNoFailure) {
  run("kill -STOP $PPID; sleep 0.2; kill -CONT $PPID; exit 4", Waits{});
  ASSERT_TRUE(reported_);
  EXPECT_EQ(WEXITSTATUS(*reported_), 4);
  EXPECT_FALSE(swept_);
}

}  // namespace
}  // namespace ddp::agent
