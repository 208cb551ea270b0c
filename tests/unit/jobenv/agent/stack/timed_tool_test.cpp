#include "jobenv/agent/stack/timed_tool.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

using Clock = std::chrono::steady_clock;

const EnvMap kEnvironment(std::map<std::string, std::string>{{"PATH", "/usr/bin:/bin"}});

TEST(TimedTool, TellsWhatAToolHasPrinted) {
  EXPECT_EQ(
      run_timed({"sh", "-c", "echo out; echo err >&2"}, kEnvironment, Clock::now() + std::chrono::hours(1)),
      "out\nerr\n");
}

TEST(TimedTool, OneThatFailsOrIsNotThereTellsNothing) {
  const auto later = Clock::now() + std::chrono::hours(1);
  EXPECT_FALSE(run_timed({"sh", "-c", "echo out; exit 1"}, kEnvironment, later));
  EXPECT_FALSE(run_timed({"no-such-tool"}, kEnvironment, later));
}

TEST(TimedTool, OneThatDoesNotEndIsKilledWithItsChildren) {
  EXPECT_FALSE(run_timed({"sh", "-c", "sleep 1000 & sleep 1000"}, kEnvironment,
                         Clock::now() + std::chrono::milliseconds(50)));
}

}  // namespace
}  // namespace ddp::agent
