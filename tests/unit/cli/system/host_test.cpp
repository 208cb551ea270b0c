#include "cli/system/host.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fake_host.hpp"

namespace ddp::cli {
namespace {

TEST(Host, KnowsThisProcess) {
  RealHost host;
  EXPECT_TRUE(host.start_of(getpid()));
  EXPECT_EQ(host.boot_id().size(), 36u);
  EXPECT_FALSE(host.name().empty());
  EXPECT_FALSE(host.user().empty());
}

TEST(Host, SignalsThroughTheDescriptor) {
  RealHost host;
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const auto process = host.open_process(child);
  ASSERT_TRUE(process);
  EXPECT_TRUE(host.signal(*process, SIGKILL));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_TRUE(host.signal(*process, SIGKILL)) << "a process that is gone is no error";
  EXPECT_FALSE(host.start_of(child));
}

TEST(Liveness, NeedsHostBootAndStartToAgree) {
  FakeHost host;
  host.processes[10] = 555;
  const ProcessId process{.host = "here", .boot_id = "boot-1", .pid = 10, .start = 555};
  EXPECT_EQ(liveness_of(process, host), Liveness::alive);

  auto reused = process;
  reused.start = 444;
  EXPECT_EQ(liveness_of(reused, host), Liveness::dead);
  auto before_reboot = process;
  before_reboot.boot_id = "boot-0";
  EXPECT_EQ(liveness_of(before_reboot, host), Liveness::dead);
  auto other_host = process;
  other_host.host = "there";
  EXPECT_EQ(liveness_of(other_host, host), Liveness::elsewhere);
}

}  // namespace
}  // namespace ddp::cli
