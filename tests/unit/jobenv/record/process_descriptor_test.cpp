#include "jobenv/record/process_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

namespace ddp {
namespace {

pid_t start_process() {
  const pid_t pid = fork();
  if (pid == 0) {
    pause();
    _exit(0);
  }
  return pid;
}

FileDescriptor open_folder(pid_t pid) {
  return FileDescriptor(open(("/proc/" + std::to_string(pid)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Ends `pid` by SIGTERM through `process`.
void expect_ends_by_it(const FileDescriptor& process, pid_t pid) {
  ASSERT_TRUE(process.is_open());
  EXPECT_EQ(signal_process(process, 0), 0);
  EXPECT_EQ(signal_process(process, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_EQ(signal_process(process, SIGTERM), ESRCH);
}

TEST(ProcessDescriptor, SignalsAProcessAndTellsItsEnd) {
  const pid_t pid = start_process();
  const auto process = open_process_descriptor(pid);
  expect_ends_by_it(process, pid);
  if (!tells_end(process)) GTEST_SKIP() << "this kernel has no pidfd_open";
  pollfd end{process.get(), POLLIN, 0};
  EXPECT_EQ(poll(&end, 1, 0), 1);
}

TEST(ProcessDescriptor, AFolderInProcDoesWhereThereIsNoOther) {
  const pid_t pid = start_process();
  const auto process = open_folder(pid);
  EXPECT_FALSE(tells_end(process));
  expect_ends_by_it(process, pid);
}

TEST(ProcessDescriptor, ThereIsNoneOfAProcessThatHasEnded) {
  const pid_t pid = start_process();
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_FALSE(open_process_descriptor(pid).is_open());
}

}  // namespace
}  // namespace ddp
