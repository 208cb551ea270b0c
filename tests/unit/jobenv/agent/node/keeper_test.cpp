#include "jobenv/agent/node/keeper.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

/// Runs `serve` under a keeper in a process of its own, which must not have this test's children; its exit
/// code.
int code_of_keeper(const std::function<int()>& serve) {
  const pid_t keeper = fork();
  if (keeper == 0) _exit(keep(serve));
  int status = 0;
  waitpid(keeper, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// How often it was called, by the bytes of `file`.
int count_call(const std::filesystem::path& file) {
  std::ofstream(file, std::ios::app) << 'x';
  return static_cast<int>(std::filesystem::file_size(file));
}

TEST(Keeper, ReturnsTheCodeOfWhatLeavesByItself) {
  EXPECT_EQ(code_of_keeper([] { return 0; }), 0);
  EXPECT_EQ(code_of_keeper([] { return 7; }), 7);
}

TEST(Keeper, StartsAgainWhatWasKilled) {
  const TemporaryFolder folder;
  const auto calls = folder.path() / "calls";
  EXPECT_EQ(code_of_keeper([&] {
              if (count_call(calls) < 3) raise(SIGKILL);
              return 5;
            }),
            5);
  EXPECT_EQ(std::filesystem::file_size(calls), 3u);
}

TEST(Keeper, GivesUpOnWhatDiesAtOnceAgainAndAgain) {
  const TemporaryFolder folder;
  const auto calls = folder.path() / "calls";
  EXPECT_EQ(code_of_keeper([&] {
              count_call(calls);
              raise(SIGABRT);  // a sanitizer takes SEGV for its own
              return 0;
            }),
            1);
  EXPECT_EQ(std::filesystem::file_size(calls), 5u);
}

TEST(Keeper, WhatTheDeadOneHadStartedIsGoneBeforeTheNextOneBegins) {
  const TemporaryFolder folder;
  const auto calls = folder.path() / "calls";
  const auto pid_file = folder.path() / "pid";
  EXPECT_EQ(code_of_keeper([&] {
              if (count_call(calls) == 2) {
                pid_t orphan = 0;
                std::ifstream(pid_file) >> orphan;
                return kill(orphan, 0) == 0 ? 1 : 0;
              }
              const pid_t orphan = fork();
              if (orphan == 0) {
                setsid();
                while (true) pause();
              }
              std::ofstream(pid_file) << orphan;
              raise(SIGKILL);
              return 1;
            }),
            0);
}

}  // namespace
}  // namespace ddp::agent
