#include "cli/launchers/slurm/query/tool_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(SlurmToolEnvironment, KeepsTheClusterAndDropsStandInsForOptions) {
  EnvMap submitter, environment;
  for (const char* name : {"SLURM_CONF", "SLURM_CLUSTERS", "SLURM_CONF_SERVER", "SLURM_JWT", "SLURM_JOB_ID"})
    submitter.set(name, "x");
  for (const char* name : {"HOME", "SQUEUE_FORMAT", "SCONTROL_ALL", "SCANCEL_STATE", "SACCT_FORMAT"})
    environment.set(name, "x");
  const auto tools = slurm_tool_environment(environment, submitter);
  std::vector<std::string> names;
  for (const auto& [name, value] : tools.variables()) names.push_back(name);
  EXPECT_THAT(names,
              testing::ElementsAre("HOME", "SLURM_CLUSTERS", "SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT"));
}

}  // namespace
}  // namespace ddp::cli
