#include "jobenv/agent/process/process_stat.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/unit/jobenv/agent/eventually.hpp"

namespace ddp::agent {
namespace {

TEST(ProcessState, IsTheLetterAfterTheName) {
  EXPECT_EQ(parse_process_state("7 (ddptrain) R 1 7 7"), ProcessState::running);
  EXPECT_EQ(parse_process_state("7 (ddptrain) S 1 7 7"), ProcessState::sleeping);
  EXPECT_EQ(parse_process_state("7 (ddptrain) D 1 7 7"), ProcessState::in_kernel);
  EXPECT_EQ(parse_process_state("7 (ddptrain) T 1 7 7"), ProcessState::stopped);
  EXPECT_EQ(parse_process_state("7 (ddptrain) t 1 7 7"), ProcessState::traced);
  EXPECT_EQ(parse_process_state("7 (ddptrain) Z 1 7 7"), ProcessState::unknown);
  EXPECT_EQ(parse_process_state("7 (a) T (b) S 1 7 7"), ProcessState::sleeping);
}

TEST(ProcessState, IsUnknownWhereThereIsNoProcess) {
  for (const char* text : {"", "7", "7 (x)", "7 (x) "}) {
    EXPECT_EQ(parse_process_state(text), ProcessState::unknown) << text;
  }
  EXPECT_EQ(load_main_thread_state(-1), ProcessState::unknown);
  EXPECT_EQ(load_process_state(-1), ProcessState::unknown);
}

TEST(ProcessState, IsSeenOfAProcess) {
  const pid_t pid = fork();
  if (pid == 0) {
    for (;;) pause();
  }
  EXPECT_TRUE(eventually([pid] { return load_process_state(pid) == ProcessState::sleeping; }));
  kill(pid, SIGSTOP);
  EXPECT_TRUE(eventually([pid] { return load_process_state(pid) == ProcessState::stopped; }));
  EXPECT_EQ(load_main_thread_state(pid), ProcessState::stopped);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace ddp::agent
