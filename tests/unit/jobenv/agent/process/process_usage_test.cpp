#include "jobenv/agent/process/process_usage.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "jobenv/agent/process/process_tree.hpp"

namespace ddp::agent {
namespace {

TEST(ProcessUsage, IsReadFromAStatFile) {
  const std::string stat =
      "7 (a) b (c)) S 1 7 7 0 -1 4194560 1 2 3 4 250 50 20 10 20 0 1 0 5 1000000 300 18446744073709551615";
  const long per_second = sysconf(_SC_CLK_TCK);
  const auto usage = parse_process_usage(stat);
  EXPECT_EQ(usage.cpu.count(), 330 * 1000 / per_second);
  EXPECT_EQ(usage.memory_bytes, 300U * static_cast<unsigned long>(sysconf(_SC_PAGESIZE)));
}

TEST(ProcessUsage, OfAnythingElseIsNone) {
  EXPECT_EQ(parse_process_usage(""), ProcessUsage{});
  EXPECT_EQ(parse_process_usage("7 (sh) S 1 2"), ProcessUsage{});
  EXPECT_EQ(load_usage(process_tree(1 << 22)), ProcessUsage{}) << "no process has this number";
}

TEST(ProcessUsage, CountsTheChildrenThatLive) {
  const auto alone = load_usage(process_tree(getpid()));
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  EXPECT_GT(load_usage(process_tree(getpid())).memory_bytes, alone.memory_bytes);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace ddp::agent
