#include "cli/launch/plan/job_base_environment.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using Names = std::vector<std::string>;

EnvMap environment_of(const Names& names) {
  EnvMap environment;
  for (const auto& name : names) environment.set(name, "x");
  return environment;
}

Names names_of(const EnvMap& environment) {
  Names names;
  for (const auto& [name, value] : environment.variables()) names.push_back(name);
  return names;
}

const Names kMisleading{
    "BASH_ENV",        "DDPSUBMIT_RANK",   "ENV",          "GROUP_RANK", "LD_PRELOAD",
    "LOCAL_RANK",      "MASTER_ADDR",      "MASTER_PORT",  "NODE_RANK",  "OMPI_COMM_WORLD_RANK",
    "OMP_NUM_THREADS", "PMIX_RANK",        "PMI_RANK",     "RANK",       "ROLE_RANK",
    "ROLE_WORLD_SIZE", "SBATCH_PARTITION", "SLURM_JOB_ID", "SRUN_DEBUG", "TORCHELASTIC_RUN_ID",
    "WORLD_SIZE"};

TEST(JobBaseEnvironment, DropsWhatMisleadsAJobAndSaysSo) {
  auto names = kMisleading;
  names.push_back("HOME");
  names.push_back("MY_OWN");
  const auto job = job_base_environment(environment_of(names), {}, *find_launcher("local"));
  EXPECT_EQ(names_of(job.environment), (Names{"HOME", "MY_OWN"}));
  EXPECT_EQ(job.dropped, kMisleading);
}

TEST(JobBaseEnvironment, KeepsNamesThatOnlyLookAlike) {
  const Names names{"ENVIRONMENT", "GROUP_ID",   "LOCALE",      "LOCAL_SCRATCH",
                    "MASTER",      "MASTER_KEY", "MY_SLURM_ID", "RANKING"};
  EXPECT_EQ(names_of(job_base_environment(environment_of(names), {}, *find_launcher("local")).environment),
            names);
}

TEST(JobBaseEnvironment, DropsTheGpusOfTheSubmitterUnderSlurmOnly) {
  const auto submitter = environment_of({"CUDA_VISIBLE_DEVICES"});
  EXPECT_TRUE(
      job_base_environment(submitter, {}, *find_launcher("local")).environment.has("CUDA_VISIBLE_DEVICES"));
  EXPECT_FALSE(
      job_base_environment(submitter, {}, *find_launcher("slurm")).environment.has("CUDA_VISIBLE_DEVICES"));
}

TEST(JobBaseEnvironment, LeavesSecretsOutWithoutAWord) {
  EnvironmentSpec spec;
  spec.secrets = {"API_KEY"};
  const auto job = job_base_environment(environment_of({"API_KEY", "HOME"}), spec, *find_launcher("local"));
  EXPECT_EQ(names_of(job.environment), Names{"HOME"});
  EXPECT_TRUE(job.dropped.empty()) << "they reach the ranks in a file";
}

TEST(JobBaseEnvironment, WithoutInheritKeepsBasicsAndWhatIsPassed) {
  EnvironmentSpec spec;
  spec.inherit = false;
  spec.pass = {"HF_HOME", "SLURM_JOB_ID"};
  const auto submitter = environment_of({"HF_HOME", "HOME", "LC_ALL", "OTHER", "PATH", "SLURM_JOB_ID"});
  const auto job = job_base_environment(submitter, spec, *find_launcher("local"));
  EXPECT_EQ(names_of(job.environment), (Names{"HF_HOME", "HOME", "LC_ALL", "PATH"}));
  EXPECT_EQ(job.dropped, Names{"SLURM_JOB_ID"});
}

TEST(JobBaseEnvironment, PassesWhatTheFileNamesButNotWhatTheRunSets) {
  EnvironmentSpec spec;
  spec.pass = {"LD_PRELOAD", "PMIX_MCA_gds", "MASTER_PORT", "SLURM_JOB_ID"};
  const auto submitter = environment_of({"LD_PRELOAD", "MASTER_PORT", "PMIX_MCA_gds", "SLURM_JOB_ID"});
  const auto job = job_base_environment(submitter, spec, *find_launcher("local"));
  EXPECT_EQ(names_of(job.environment), (Names{"LD_PRELOAD", "PMIX_MCA_gds"}));
  EXPECT_EQ(job.dropped, (Names{"MASTER_PORT", "SLURM_JOB_ID"}));
}

}  // namespace
}  // namespace ddp::cli
