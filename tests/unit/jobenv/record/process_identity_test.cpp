#include "jobenv/record/process_identity.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace ddp {
namespace {

TEST(ProcessIdentity, ReadsTheStartTimePastAnyName) {
  EXPECT_EQ(parse_process_stat("7 (a) R b) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 9"), 12345u);
}

TEST(ProcessIdentity, TakesAZombieForDead) {
  EXPECT_EQ(parse_process_stat("7 (x) Z 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 9"), std::nullopt);
}

TEST(ProcessIdentity, RefusesWhatIsNoStat) {
  for (const char* text : {"", "7", "7 (x", "7 (x)", "7 (x) S 1 2 3"}) {
    EXPECT_EQ(parse_process_stat(text), std::nullopt) << text;
  }
}

TEST(ProcessIdentity, KnowsThisProcess) {
  EXPECT_TRUE(load_process_start(getpid()));
  EXPECT_EQ(load_boot_id().size(), 36u);
}

// Some of them end between the open and the read of their file.
TEST(ProcessIdentity, AProcessThatEndsMeanwhileIsDead) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  for (int round = 0; round < 200; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(0);
    while (load_process_start(child)) continue;
  }
  std::signal(SIGCHLD, before);
}

}  // namespace
}  // namespace ddp
