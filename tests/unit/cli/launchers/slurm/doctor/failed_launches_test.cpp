#include "cli/launchers/slurm/doctor/failed_launches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;

constexpr const char* kAdvice = "check its slurmd and its network: scontrol show node ";

TEST(FailedLaunches, NamesTheHostsWhereSrunStartedNothing) {
  EXPECT_THAT(
      parse_failed_launches(
          "srun: error: Task launch for StepId=2.0 failed on node node3: Communication connection failure\n"
          "srun: error: Application launch failed: Communication connection failure\n"
          "srun: error: node2: tasks 2-3: Killed\n"),
      ElementsAre(FailedLaunch{"node3",
                               "srun could not start the ranks there: Communication connection failure",
                               std::string(kAdvice) + "node3"}));
  EXPECT_THAT(
      parse_failed_launches("srun: error: Task launch for StepId=2.0 failed on node n1"),
      ElementsAre(FailedLaunch{"n1", "srun could not start the ranks there: ", std::string(kAdvice) + "n1"}));
}

}  // namespace
}  // namespace ddp::cli
