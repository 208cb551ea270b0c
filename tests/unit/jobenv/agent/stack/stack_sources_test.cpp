#include "jobenv/agent/stack/stack_sources.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "jobenv/agent/stack/stack_process.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/jobenv/agent/eventually.hpp"

namespace ddp::agent {
namespace {

/// No tool is found there.
const EnvMap kNoTools(std::map<std::string, std::string>{{"PATH", "/nonexistent"}});

/// A child that does what it is told to.
class Sleeper {
 public:
  template <class Work>
  explicit Sleeper(Work work) : pid_(fork()) {
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a child of a child, too, ends with the test
    work();
    _exit(0);
  }
  ~Sleeper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

void sleep_for_ever() {
  for (;;) sleep(1000);
}

int stack_file = -1;
void print_stack(int) {
  const std::string_view text =
      "Current thread 0x01 (most recent call first):\n  File \"/x/train.py\", line 7 in main\n";
  (void)!write(stack_file, text.data(), text.size());
}

TEST(StackSources, WithoutAToolTheKernelTellsTheSystemCall) {
  const Sleeper sleeper(sleep_for_ever);
  const auto look = [&] {
    return take_stack({.rank = 4, .pid = sleeper.pid(), .patience = std::chrono::seconds(5)}, kNoTools);
  };
  ASSERT_TRUE(eventually(
      [&] { return look().frames == std::vector<std::string>{"the system call clock_nanosleep"}; }));
  const auto stack = look();
  EXPECT_EQ(stack.rank, 4);
  EXPECT_EQ(stack.source, "kernel");
  EXPECT_EQ(stack.process, "sleeping");
}

TEST(StackSources, GdbIsLeftOutWhereOnlyQuickToolsAreWanted) {
  const TemporaryFolder folder;
  std::ofstream(folder / "gdb") << "#!/bin/sh\necho '#0  0x01 in main () at main.c:1'\n";
  std::filesystem::permissions(folder / "gdb", std::filesystem::perms::owner_all);
  const Sleeper sleeper(sleep_for_ever);
  const auto source_with = [&](StackTools tools) {
    return take_stack({.rank = 0, .pid = sleeper.pid(), .patience = std::chrono::seconds(60), .tools = tools},
                      EnvMap({{"PATH", folder.path().string()}}))
        .source;
  };
  EXPECT_EQ(source_with(StackTools::all), "gdb");
  EXPECT_EQ(source_with(StackTools::quick), "kernel");
}

TEST(StackSources, ARankThatPrintsItsStackAtASignalIsAsked) {
  const FileDescriptor memfd(memfd_create("ddpsubmit-stack", 0));
  stack_file = memfd.get();
  std::signal(SIGUSR1, print_stack);  // the child inherits it
  const Sleeper sleeper(sleep_for_ever);
  std::signal(SIGUSR1, SIG_DFL);
  const auto stack = take_stack({.rank = 0,
                                 .pid = sleeper.pid(),
                                 .patience = std::chrono::seconds(60),
                                 .signal = SIGUSR1,
                                 .descriptor = memfd.get()},
                                kNoTools);
  EXPECT_EQ(stack.source, "faulthandler");
  EXPECT_EQ(stack.frames, (std::vector<std::string>{"main (train.py:7)"}));
}

TEST(StackSources, ASignalIsNotSentToAProcessWithoutThatFile) {
  const Sleeper sleeper(sleep_for_ever);
  const auto stack = take_stack({.rank = 0,
                                 .pid = sleeper.pid(),
                                 .patience = std::chrono::seconds(5),
                                 .signal = SIGUSR1,
                                 .descriptor = 0},
                                kNoTools);
  EXPECT_EQ(stack.source, "kernel");
  EXPECT_EQ(waitpid(sleeper.pid(), nullptr, WNOHANG), 0) << "the signal would have ended it";
}

TEST(StackSources, AFifoInThePlaceOfThatFileIsNotWaitedFor) {
  constexpr int kPlace = 500;
  const TemporaryFolder folder;
  const auto fifo = folder / "memfd:ddpsubmit-stack";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const Sleeper sleeper([&] {
    dup2(open(fifo.c_str(), O_RDONLY | O_NONBLOCK), kPlace);
    sleep_for_ever();
  });
  const auto place = "/proc/" + std::to_string(sleeper.pid()) + "/fd/" + std::to_string(kPlace);
  ASSERT_TRUE(eventually([&] { return std::filesystem::is_fifo(place); }));
  const auto stack = take_stack({.rank = 0,
                                 .pid = sleeper.pid(),
                                 .patience = std::chrono::seconds(5),
                                 .signal = SIGUSR1,
                                 .descriptor = kPlace},
                                kNoTools);
  EXPECT_EQ(stack.source, "kernel");
}

TEST(StackSources, AWrapperIsNotTheProgram) {
  const Sleeper wrapper([] {
    const Sleeper program([] {
      std::vector<char> memory(32 << 20, 1);
      sleep_for_ever();
    });
    sleep_for_ever();
  });
  EXPECT_TRUE(eventually([&] { return find_working_process(wrapper.pid()) != wrapper.pid(); }));
}

TEST(StackSources, AProgramWithWorkersIsTheProgram) {
  const Sleeper program([] {
    std::vector<char> memory(32 << 20, 1);
    const Sleeper first(sleep_for_ever);
    const Sleeper second(sleep_for_ever);
    sleep_for_ever();
  });
  ASSERT_TRUE(eventually([&] { return find_working_process(program.pid()) == program.pid(); }));
}

}  // namespace
}  // namespace ddp::agent
