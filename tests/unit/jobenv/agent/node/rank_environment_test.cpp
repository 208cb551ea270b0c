#include "jobenv/agent/node/rank_environment.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/agent/process/guarded_process.hpp"
#include "tests/support/use_launcher.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

const StartAttempt kStart{2, "nonce", "10.0.0.1", 4000, {"n1", "n2"}, {0, 1}, "10.0.0.2", std::nullopt};

LaunchPlan slurm_plan() {
  LaunchPlan plan = make_plan("/runs/r-1", 2, "true");
  use_launcher(plan, "slurm");
  plan.nodes = 2;
  plan.cpus_per_task = 3;
  plan.set = {{"A", "set"}, {"RANK", "77"}};
  return plan;
}

EnvMap slurm_env() {
  return EnvMap({{"PATH", "/bin"},
                 {"A", "inherited"},
                 {"S", "inherited"},
                 {"SLURM_JOB_ID", "42"},
                 {"SLURM_RESTART_COUNT", "1"},
                 {"DDPSUBMIT_HEAD", "x"},
                 {"DDPSUBMIT_NONCE", "control"}});
}

EnvMap environment_of(const LaunchPlan& plan) {
  const JobEnvironment job = make_job(plan, kStart, {3, 1, 1}, "n2", slurm_env());
  return make_rank_environment(slurm_env(), plan, {{"S", "secret"}}, job);
}

TEST(RankEnvironment, DescribesTheRankSoThatItReadsTheSame) {
  const EnvMap env = environment_of(slurm_plan());
  const auto job = JobEnvironment::from(env);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->rank, 3);
  EXPECT_EQ(job->local_rank, 1);
  EXPECT_EQ(job->node_rank, 1);
  EXPECT_EQ(job->world_size, 4);
  EXPECT_EQ(job->attempt, 2);
  EXPECT_EQ(job->node_name, "n2");
  EXPECT_EQ(job->hostnames, kStart.hosts);
  EXPECT_EQ(job->master_port, 4000);
  EXPECT_EQ(job->nonce, "nonce");
  EXPECT_EQ(job->interface, "10.0.0.2");
  EXPECT_EQ(job->job_id, "42");
  EXPECT_EQ(job->restart_count, 1);
}

TEST(RankEnvironment, HoldsNoPassToSlurm) {
  EnvMap env = slurm_env();
  env.set("SLURM_JWT", "secret");
  const auto plan = slurm_plan();
  EXPECT_FALSE(
      make_rank_environment(env, plan, {}, make_job(plan, kStart, {3, 1, 1}, "n2", env)).has("SLURM_JWT"));
}

TEST(RankEnvironment, TheAgentsOwnVariablesStayBehindAndLaterSourcesWin) {
  const EnvMap env = environment_of(slurm_plan());
  EXPECT_FALSE(env.has("DDPSUBMIT_HEAD"));
  EXPECT_EQ(env.get("A"), "set");
  EXPECT_EQ(env.get("S"), "secret");
  EXPECT_EQ(env.get("RANK"), "3");
}

TEST(RankEnvironment, ThreadsAreTheCpusOfARankUnlessTheUserSetsThem) {
  LaunchPlan plan = slurm_plan();
  const auto threads = [&plan](const EnvMap& agents) {
    return make_rank_environment(agents, plan, {}, make_job(plan, kStart, {3, 1, 1}, "n2", agents))
        .get("OMP_NUM_THREADS");
  };
  EXPECT_EQ(threads({}), "3");
  EXPECT_EQ(threads(EnvMap().set("OMP_NUM_THREADS", "6")), "6") << "passed, or exported by a set-up line";
  plan.set["OMP_NUM_THREADS"] = "8";
  EXPECT_EQ(threads(EnvMap().set("OMP_NUM_THREADS", "6")), "8");
}

TEST(RankEnvironment, PushedLibrariesGoBeforeThoseOfTheHost) {
  LaunchPlan plan = slurm_plan();
  plan.libraries.first = "/own/lib";
  EXPECT_EQ(environment_of(plan).get("LD_LIBRARY_PATH"), "/own/lib");
  plan.set["LD_LIBRARY_PATH"] = "/opt/cuda";
  EXPECT_EQ(environment_of(plan).get("LD_LIBRARY_PATH"), "/own/lib:/opt/cuda");
}

TEST(RankEnvironment, SpareLibrariesGoBehindThoseOfTheHost) {
  LaunchPlan plan = slurm_plan();
  plan.libraries.spare = "/venv/torch/lib";
  EXPECT_EQ(environment_of(plan).get("LD_LIBRARY_PATH"), "/venv/torch/lib");
  plan.set["LD_LIBRARY_PATH"] = "/module/lib";
  EXPECT_EQ(environment_of(plan).get("LD_LIBRARY_PATH"), "/module/lib:/venv/torch/lib");
}

TEST(RankEnvironment, ACommandLearnsOfItsAttemptAsUnderTorchrun) {
  LaunchPlan plan = slurm_plan();
  plan.max_restarts = 2;
  const EnvMap env = environment_of(plan);
  EXPECT_EQ(env.get("TORCHELASTIC_RESTART_COUNT"), std::to_string(kStart.attempt));
  EXPECT_EQ(env.get("TORCHELASTIC_MAX_RESTARTS"), "2");
  EXPECT_EQ(env.get("GROUP_RANK"), env.get("NODE_RANK"));
}

TEST(RankEnvironment, UnderASchedulerOnlyTheFileSaysThatTorchrunHasStartedTheRanks) {
  const auto run_id = [](LaunchPlan plan, const char* launcher) {
    use_launcher(plan, launcher);
    return environment_of(plan).get("TORCHELASTIC_RUN_ID");
  };
  LaunchPlan plan = slurm_plan();
  EXPECT_EQ(run_id(plan, "slurm"), std::nullopt);
  EXPECT_EQ(run_id(plan, "local"), plan.run_id);
  EXPECT_EQ(run_id(plan, "ssh"), plan.run_id);
  plan.set["TORCHELASTIC_RUN_ID"] = "none";
  EXPECT_EQ(run_id(plan, "slurm"), "none");
  EXPECT_EQ(run_id(plan, "local"), "none");
}

TEST(RankEnvironment, ACommandHasOneRoleAndRankZeroServesTheStoreAsUnderTorchrun) {
  const LaunchPlan plan = slurm_plan();
  const EnvMap env = environment_of(plan);
  EXPECT_EQ(env.get("GROUP_WORLD_SIZE"), std::to_string(kStart.hosts.size()));
  EXPECT_EQ(env.get("ROLE_NAME"), "default");
  EXPECT_EQ(env.get("ROLE_RANK"), env.get("RANK"));
  EXPECT_EQ(env.get("ROLE_WORLD_SIZE"), env.get("WORLD_SIZE"));
  EXPECT_EQ(env.get("TORCHELASTIC_USE_AGENT_STORE"), "False");
  EXPECT_EQ(env.get("TORCHELASTIC_ERROR_FILE"),
            plan.run_dir + "/logs/attempt-" + std::to_string(kStart.attempt) + "/rank-3.error.json");
  EXPECT_EQ(env.get("TORCH_NCCL_ASYNC_ERROR_HANDLING"), "1");
}

TEST(RankEnvironment, TheRoleOfACommandCanHaveAnotherName) {
  LaunchPlan plan = slurm_plan();
  plan.set["ROLE_NAME"] = "trainer";
  EXPECT_EQ(environment_of(plan).get("ROLE_NAME"), "trainer");
}

TEST(RankEnvironment, ATrainerNeedsNoNamesOfTorch) {
  LaunchPlan plan = slurm_plan();
  plan.program = ProgramKind::trainer;
  plan.set.clear();
  const EnvMap env = environment_of(plan);
  EXPECT_FALSE(env.has("RANK"));
  EXPECT_FALSE(env.has("MASTER_ADDR"));
  EXPECT_FALSE(env.has("TORCHELASTIC_RUN_ID"));
}

TEST(RankEnvironment, PythonUnderACommandDoesNotHoldItsOutputBackUnlessSomebodySaysSo) {
  const auto buffering = [](const LaunchPlan& plan, const EnvMap& env) {
    return make_rank_environment(env, plan, {}, make_job(plan, kStart, {3, 1, 1}, "n2", env))
        .get("PYTHONUNBUFFERED");
  };
  LaunchPlan plan = slurm_plan();
  EXPECT_EQ(buffering(plan, slurm_env()), "1");
  EXPECT_EQ(buffering(plan, slurm_env().set("PYTHONUNBUFFERED", "")), "");
  plan.set["PYTHONUNBUFFERED"] = "own";
  EXPECT_EQ(buffering(plan, slurm_env()), "own");
  plan = slurm_plan();
  plan.program = ProgramKind::trainer;
  EXPECT_EQ(buffering(plan, slurm_env()), std::nullopt);
}

TEST(Secrets, AreReadWhenTheyAreThere) {
  const RunFixture run;
  EXPECT_EQ(load_secrets(run.beside("none"))->size(), 0u);
  std::ofstream(run.beside("good")) << R"({"KEY": "value"})";
  EXPECT_EQ(load_secrets(run.beside("good"))->at("KEY"), "value");
}

TEST(Secrets, AreNotQuotedInErrors) {
  const RunFixture run;
  for (const char* text : {R"(["hunter2"])", R"({"KEY": ["hunter2"]})", R"({"KEY": "hunter2")"}) {
    std::ofstream(run.beside("bad")) << text;
    const auto secrets = load_secrets(run.beside("bad"));
    ASSERT_FALSE(secrets) << text;
    EXPECT_EQ(secrets.error().message.find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace ddp::agent
