// The variables of the fixtures are those that a real Slurm 22.05 set on two nodes of two tasks.
#include <gtest/gtest.h>

#include "ddp/jobenv/job_environment.hpp"

namespace ddp {
namespace {

/// Task 3 of `srun -N2 --ntasks-per-node=2`.
EnvMap step() {
  return EnvMap({{"SLURMD_NODENAME", "node2"},
                 {"SLURM_JOB_ID", "1"},
                 {"SLURM_JOB_NODELIST", "node[1-2]"},
                 {"SLURM_JOB_NUM_NODES", "2"},
                 {"SLURM_LOCALID", "1"},
                 {"SLURM_NNODES", "2"},
                 {"SLURM_NODEID", "1"},
                 {"SLURM_NODELIST", "node[1-2]"},
                 {"SLURM_NTASKS", "4"},
                 {"SLURM_PROCID", "3"},
                 {"SLURM_STEP_ID", "0"},
                 {"SLURM_STEP_NODELIST", "node[1-2]"},
                 {"SLURM_STEP_NUM_NODES", "2"},
                 {"SLURM_STEP_NUM_TASKS", "4"},
                 {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                 {"SLURM_TASKS_PER_NODE", "2(x2)"}});
}

EnvMap step_with_rendezvous() {
  return step().set("MASTER_ADDR", "node1").set("MASTER_PORT", "29511");
}

/// The batch script of such a job: SLURM_PROCID and others are there, and say nothing.
EnvMap batch_script() {
  EnvMap env = step()
                   .set("SLURMD_NODENAME", "node1")
                   .set("SLURM_PROCID", "0")
                   .set("SLURM_LOCALID", "0")
                   .set("SLURM_NODEID", "0");
  env.remove_if([](std::string_view name) { return name.starts_with("SLURM_STEP"); });
  return env;
}

std::string message_of(const EnvMap& env) {
  const auto job = JobEnvironment::from(env);
  return job ? "" : job.error().message;
}

void expect_refused(const EnvMap& env, const std::string& part) {
  const std::string message = message_of(env);
  EXPECT_NE(message.find(part), std::string::npos) << "wanted: " << part << "\ngot: " << message;
}

TEST(SlurmEnvironment, ReadsAStep) {
  const auto job = JobEnvironment::from(step_with_rendezvous()
                                            .set("SLURM_CPUS_PER_TASK", "3")
                                            .set("SLURM_RESTART_COUNT", "1")
                                            .set("SLURM_ARRAY_JOB_ID", "1")
                                            .set("SLURM_ARRAY_TASK_ID", "7")
                                            .set("SLURM_JOB_END_TIME", "1800000000")
                                            .set("CUDA_VISIBLE_DEVICES", "1"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->source, EnvironmentSource::slurm);
  EXPECT_EQ(job->launcher, "slurm");
  EXPECT_EQ(job->job_id, "1");
  EXPECT_EQ(job->array_job_id, "1");
  EXPECT_EQ(job->array_task_id, "7");
  EXPECT_EQ(job->rank, 3);
  EXPECT_EQ(job->local_rank, 1);
  EXPECT_EQ(job->node_rank, 1);
  EXPECT_EQ(job->world_size, 4);
  EXPECT_EQ(job->local_world_size, 2);
  EXPECT_EQ(job->tasks_per_node, (std::vector<int>{2, 2}));
  EXPECT_EQ(job->hostnames, (std::vector<std::string>{"node1", "node2"}));
  EXPECT_EQ(job->node_name, "node2");
  EXPECT_EQ(job->master_address, "node1");
  EXPECT_EQ(job->master_port, 29511);
  EXPECT_EQ(job->cpus_per_task, 3);
  EXPECT_EQ(job->restart_count, 1);
  EXPECT_EQ(job->deadline, std::chrono::system_clock::from_time_t(1800000000));
  EXPECT_EQ(job->gpus, (std::vector<Gpu>{{0, "1"}}));
  EXPECT_EQ(job->origins.at("rank"), "SLURM_PROCID");
  EXPECT_EQ(job->origins.at("local_world_size"), "SLURM_TASKS_PER_NODE");
  EXPECT_EQ(job->origins.at("master_address"), "MASTER_ADDR");
  EXPECT_EQ(job->origins.at("attempt"), "default");
}

TEST(SlurmEnvironment, AStepCanBeReadWithoutItsRendezvous) {
  const auto job =
      JobEnvironment::from_slurm_step(step().set("DDPSUBMIT_NONCE", "n").set("MASTER_ADDR", "foreign"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->rank, 3);
  EXPECT_EQ(job->master_port, 0);
  EXPECT_FALSE(JobEnvironment::from_slurm_step(batch_script()));
  EXPECT_FALSE(JobEnvironment::from_slurm_step(EnvMap()));
}

TEST(SlurmEnvironment, AStepMayUseFewerNodesThanItsJob) {
  const auto job = JobEnvironment::from(step()
                                            .set("SLURMD_NODENAME", "node2")
                                            .set("SLURM_LOCALID", "0")
                                            .set("SLURM_NODEID", "0")
                                            .set("SLURM_PROCID", "0")
                                            .set("SLURM_NTASKS", "1")
                                            .set("SLURM_TASKS_PER_NODE", "1")
                                            .set("SLURM_STEP_NODELIST", "node2"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->hostnames, (std::vector<std::string>{"node2"}));
  EXPECT_EQ(job->world_size, 1);
}

TEST(SlurmEnvironment, TorchsRanksAreNotLookedAt) {
  const auto job = JobEnvironment::from(step_with_rendezvous()
                                            .set("RANK", "0")
                                            .set("WORLD_SIZE", "64")
                                            .set("LOCAL_RANK", "junk")
                                            .set("NODE_RANK", "5"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->rank, 3);
  EXPECT_EQ(job->world_size, 4);
  EXPECT_EQ(job->local_rank, 1);
}

TEST(SlurmEnvironment, TheRendezvousMustBeGivenAndFit) {
  expect_refused(step(), "MASTER_ADDR is not set; MASTER_PORT is not set");
  expect_refused(step().set("MASTER_ADDR", "node1"), "MASTER_PORT is not set");
  expect_refused(step_with_rendezvous().set("MASTER_ADDR", "node2"),
                 "MASTER_ADDR is node2, and rank 0 runs on node1");
  expect_refused(step_with_rendezvous().set("MASTER_ADDR", "other9"), "rank 0 runs on node1");
  expect_refused(step_with_rendezvous().set("MASTER_ADDR", "localhost"),
                 "MASTER_ADDR is localhost, and the job has 2 nodes");
  expect_refused(step_with_rendezvous().set("MASTER_ADDR", "127.0.0.1"), "the job has 2 nodes");
  expect_refused(step_with_rendezvous().set("MASTER_ADDR", "::1"), "the job has 2 nodes");
  expect_refused(step_with_rendezvous().set("MASTER_PORT", "0"), "MASTER_PORT is '0'");
  expect_refused(step_with_rendezvous().set("MASTER_PORT", "abc"), "MASTER_PORT is 'abc'");
  for (const char* address : {"10.77.0.1", "fd00::1", "node1.cluster.org"}) {
    EXPECT_EQ(message_of(step_with_rendezvous().set("MASTER_ADDR", address)), "") << address;
  }
}

TEST(SlurmEnvironment, LoopbackServesOneNode) {
  EnvMap env = step_with_rendezvous()
                   .set("MASTER_ADDR", "127.0.0.1")
                   .set("SLURMD_NODENAME", "node1")
                   .set("SLURM_JOB_NODELIST", "node1")
                   .set("SLURM_STEP_NODELIST", "node1")
                   .set("SLURM_JOB_NUM_NODES", "1")
                   .set("SLURM_NODEID", "0")
                   .set("SLURM_LOCALID", "3")
                   .set("SLURM_TASKS_PER_NODE", "4");
  EXPECT_EQ(message_of(env), "");
}

TEST(SlurmEnvironment, ContradictionsAreRefused) {
  expect_refused(step().set("SLURM_PROCID", "4"), "rank 4 is not below the world size, 4");
  expect_refused(step().set("SLURM_PROCID", "2"),
                 "rank 2 is local rank 1 of node 1, but with block distribution it would be local rank 0");
  expect_refused(step().set("SLURM_NTASKS", "5"),
                 "the tasks per node, 2(x2), add up to 4, the world size is 5");
  expect_refused(step().set("SLURM_TASKS_PER_NODE", "2,1"), "add up to 3");
  expect_refused(step().set("SLURM_JOB_NUM_NODES", "3"),
                 "SLURM_JOB_NODELIST names 2 hosts, SLURM_JOB_NUM_NODES is 3");
  expect_refused(step().set("SLURM_JOB_NODELIST", "node[1-3]"), "SLURM_JOB_NODELIST names 3 hosts");
  expect_refused(step().set("SLURM_STEP_NODELIST", "node1"), "1 host names for 2 nodes");
  expect_refused(step().set("SLURM_NODEID", "2"), "node rank 2 is not below the number of nodes, 2");
  expect_refused(step().set("SLURMD_NODENAME", "node1"),
                 "this node is node1, and node 1 of the list of hosts is node2");
  expect_refused(step().set("SLURM_JOB_NODELIST", "node[1-2"), "'[' is never closed");
  expect_refused(step().set("SLURM_LOCALID", "x"), "SLURM_LOCALID is 'x'");
}

TEST(SlurmEnvironment, ACyclicDistributionIsRefused) {
  const auto job =
      JobEnvironment::from(step_with_rendezvous().set("SLURM_PROCID", "1").set("SLURM_LOCALID", "0"));
  ASSERT_FALSE(job);
  EXPECT_NE(job.error().message.find("with block distribution it would be local rank 1 of node 0"),
            std::string::npos);
  EXPECT_NE(job.error().hint.find("--distribution=block"), std::string::npos);
}

TEST(SlurmEnvironment, EveryHoleIsNamed) {
  for (const char* name : {"SLURM_JOB_ID", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_NTASKS",
                           "SLURM_TASKS_PER_NODE", "SLURM_JOB_NUM_NODES", "SLURM_JOB_NODELIST"}) {
    EnvMap env = step_with_rendezvous();
    env.unset(name);
    expect_refused(env, std::string(name) + " is not set");
  }
}

TEST(SlurmEnvironment, OutsideItsStepsAJobOfSeveralTasksIsRefused) {
  const auto job = JobEnvironment::from(batch_script().set("RANK", "0").set("WORLD_SIZE", "1"));
  ASSERT_FALSE(job);
  EXPECT_NE(job.error().message.find("the job has 4 tasks, but this process is not one of them"),
            std::string::npos);
  EXPECT_NE(job.error().message.find("\n  SLURM_STEP_ID"), std::string::npos) << job.error().message;
  EXPECT_EQ(job.error().hint, "start the program with srun");
}

TEST(SlurmEnvironment, OutsideItsStepsAJobOfOneTaskIsASingleProcess) {
  const auto job = JobEnvironment::from(batch_script().set("SLURM_NTASKS", "1"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->source, EnvironmentSource::slurm);
  EXPECT_EQ(job->world_size, 1);
  EXPECT_EQ(job->job_id, "1");
  EXPECT_EQ(job->hostnames, (std::vector<std::string>{"node1"}));
}

}  // namespace
}  // namespace ddp
