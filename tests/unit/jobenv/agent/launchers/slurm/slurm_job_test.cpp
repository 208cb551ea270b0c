#include "jobenv/agent/launchers/slurm/slurm_job.hpp"
#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "tests/support/use_launcher.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ddp::agent {
namespace {

EnvMap job_env() {
  return EnvMap({{"SLURM_JOB_ID", "42"},
                 {"SLURM_JOB_NODELIST", "n[01-02]"},
                 {"SLURM_JOB_NUM_NODES", "2"},
                 {"SLURM_JOB_END_TIME", "1700000000"},
                 {"SLURM_RESTART_COUNT", "3"}});
}

LaunchPlan two_nodes() {
  LaunchPlan plan;
  use_launcher(plan, "slurm");
  plan.nodes = 2;
  plan.tasks_per_node = 4;
  plan.cpus_per_task = 8;
  plan.agent = "/opt/ddp-agent";
  return plan;
}

TEST(SlurmJob, IsReadFromTheEnvironment) {
  const auto job = parse_slurm_job(job_env());
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->id, "42");
  EXPECT_EQ(job->restart_count, 3);
  EXPECT_EQ(job->hosts, (std::vector<std::string>{"n01", "n02"}));
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*job->end_time), 1700000000);
}

TEST(SlurmJob, RefusesAListThatDoesNotFitTheNumberOfNodes) {
  const auto job = parse_slurm_job(job_env().set("SLURM_JOB_NUM_NODES", "3"));
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().message, "SLURM_JOB_NODELIST names 2 nodes, SLURM_JOB_NUM_NODES is '3'");
  EXPECT_FALSE(parse_slurm_job(job_env().set("SLURM_JOB_NODELIST", "n[01")));
  EXPECT_FALSE(parse_slurm_job(EnvMap()));
}

TEST(SlurmJob, HeadRunsOnlyOnTheFirstNode) {
  const SchedulerJob job = parse_slurm_job(job_env()).value();
  EXPECT_TRUE(check_head_node(job, two_nodes(), "n01", "n01"));
  EXPECT_TRUE(check_head_node(job, two_nodes(), "n01", std::nullopt));
  EXPECT_EQ(check_head_node(job, two_nodes(), "n02", "n01").error().message,
            "head runs on n02, the first node of job 42 is n01");
  EXPECT_EQ(check_head_node(job, two_nodes(), "n01", "n02").error().message,
            "scontrol says that the first node is n02, SLURM_JOB_NODELIST says n01");
}

TEST(SlurmJob, MustHaveThePlansNodes) {
  LaunchPlan plan = two_nodes();
  plan.nodes = 1;
  EXPECT_EQ(check_head_node(parse_slurm_job(job_env()).value(), plan, "n01", "n01").error().message,
            "the plan has 1 nodes, job 42 has 2");
}

TEST(SlurmJob, TheHostIsTheNodeOnlyUnderSlurm) {
  const EnvMap env = EnvMap().set("SLURMD_NODENAME", "n07");
  LaunchPlan plan = two_nodes();
  EXPECT_EQ(resolve_host_name(plan, env), "n07");
  use_launcher(plan, "local");
  EXPECT_NE(resolve_host_name(plan, env), "n07");
}

TEST(SlurmJob, SrunIsToldEverything) {
  LaunchPlan plan = two_nodes();
  const std::vector<std::string> expected = {"srun",         "--kill-on-bad-exit=1", "--wait=0",
                                             "--unbuffered", "--distribution=block", "--nodes=2",
                                             "--ntasks=8",   "--ntasks-per-node=4",  "--cpus-per-task=8",
                                             "--export=ALL", "--mpi=none",           "/opt/ddp-agent",
                                             "task"};
  EXPECT_EQ(render_srun_argv(plan), expected);
}

TEST(SlurmJob, SrunGetsTheOptionsOfThePlanBesides) {
  LaunchPlan plan = two_nodes();
  plan.start_options = {"--cpu-bind=none", "--container-image=a b.sqsh"};
  const auto argv = render_srun_argv(plan);
  const std::vector<std::string> expected = {"--mpi=none", "--cpu-bind=none", "--container-image=a b.sqsh",
                                             "/opt/ddp-agent", "task"};
  EXPECT_EQ(std::vector(argv.end() - 5, argv.end()), expected);
}

TEST(SlurmJob, SrunConnectsMpiProgramsIfThePlanSaysSo) {
  LaunchPlan plan = two_nodes();
  plan.process_manager = ProcessManagerKind::launcher;
  plan.start_options = {"--mpi=pmix"};
  const auto argv = render_srun_argv(plan);
  const std::vector<std::string> expected = {"--export=ALL", "--mpi=pmix", "/opt/ddp-agent", "task"};
  EXPECT_EQ(std::vector(argv.end() - 4, argv.end()), expected);
}

TEST(SlurmJob, ALinkIsNamedAfterIt) {
  LaunchPlan plan = two_nodes();
  const auto env =
      job_env().set("SLURM_JOB_NAME", "mnist").set("SLURM_JOB_USER", "me").set("SLURMD_NODENAME", "n01.x");
  plan.output_link = "/home/%u/%x-%j-%J-%A-%N-%n-%t.out";
  EXPECT_EQ(name_output_link(plan, env), "/home/me/mnist-42-42-42-n01-0-0.out");
  plan.output_link = "/%A_%2a.%j";
  EXPECT_EQ(name_output_link(plan, job_env().set("SLURM_ARRAY_JOB_ID", "40").set("SLURM_ARRAY_TASK_ID", "5")),
            "/40_05.42");
}

TEST(SlurmJob, SqueuesTimeIsLocal) {
  ASSERT_EQ(setenv("TZ", "UTC-2", 1), 0);
  tzset();
  const auto time = parse_slurm_time("2023-11-15T00:13:20\n");
  unsetenv("TZ");
  tzset();
  ASSERT_TRUE(time);
  EXPECT_EQ(std::chrono::system_clock::to_time_t(*time), 1700000000);
}

TEST(SlurmJob, SqueueMayNotKnowTheTime) {
  for (const char* text : {"", "N/A\n", "NONE", "2023-11-15", "2023-11-15T00:13:20 x"}) {
    EXPECT_FALSE(parse_slurm_time(text)) << text;
  }
}

}  // namespace
}  // namespace ddp::agent
