#include "trainer/distributed/group/nccl_environment.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace ddp::trainer {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Not;
using testing::Pair;

TEST(NcclEnvironment, BoundsTheWatchdogByTheTimeout) {
  EXPECT_THAT(nccl_environment({}, 5min), Contains(Pair("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "300")));
  EXPECT_THAT(nccl_environment({}, 90'500ms), Contains(Pair("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "91")));
  EXPECT_THAT(nccl_environment({}, 1s), Contains(Pair("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "60")));
}

TEST(NcclEnvironment, HasTheTracesWrittenBesideTheLogsOfTheAttempt) {
  JobEnvironment job;
  EXPECT_THAT(nccl_environment(job, 1s), Not(Contains(Pair("TORCH_FR_DUMP_TEMP_FILE", testing::_))));
  job.run_dir = "/runs/a";
  job.attempt = 2;
  EXPECT_THAT(nccl_environment(job, 1s),
              Contains(Pair("TORCH_FR_DUMP_TEMP_FILE", "/runs/a/logs/attempt-2/nccl-trace-")));
}

TEST(NcclEnvironment, KeepsWhatSomebodyHasSet) {
  setenv("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC", "7", 1);
  set_nccl_environment({}, 5min);
  EXPECT_STREQ(std::getenv("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC"), "7");
  unsetenv("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC");
}

TEST(NcclEnvironment, KeepsWhatSomebodyHasSetByItsOldName) {
  JobEnvironment job;
  job.run_dir = "/runs/a";
  setenv("TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "/mine/trace-", 1);
  set_nccl_environment(job, 5min);
  EXPECT_EQ(std::getenv("TORCH_FR_DUMP_TEMP_FILE"), nullptr);
  unsetenv("TORCH_NCCL_DEBUG_INFO_TEMP_FILE");
  set_nccl_environment(job, 5min);
  EXPECT_NE(std::getenv("TORCH_FR_DUMP_TEMP_FILE"), nullptr);
  unsetenv("TORCH_FR_DUMP_TEMP_FILE");
  unsetenv("TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC");
}

}  // namespace
}  // namespace ddp::trainer
