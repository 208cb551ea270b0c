#include <gtest/gtest.h>

#include "ddp/jobenv/job_environment.hpp"

namespace ddp {
namespace {

/// What torchrun sets for rank 3 of 2 nodes with 2 ranks each.
EnvMap torchrun() {
  return EnvMap({{"RANK", "3"},
                 {"LOCAL_RANK", "1"},
                 {"GROUP_RANK", "1"},
                 {"WORLD_SIZE", "4"},
                 {"LOCAL_WORLD_SIZE", "2"},
                 {"MASTER_ADDR", "node1"},
                 {"MASTER_PORT", "29500"}});
}

EnvMap by_hand_on_one_node() {
  return EnvMap({{"RANK", "1"},
                 {"LOCAL_RANK", "1"},
                 {"WORLD_SIZE", "2"},
                 {"MASTER_ADDR", "127.0.0.1"},
                 {"MASTER_PORT", "29500"}});
}

void expect_torchrun_refused(const EnvMap& env, const std::string& part) {
  const auto job = JobEnvironment::from(env);
  ASSERT_FALSE(job) << "wanted: " << part;
  EXPECT_NE(job.error().message.find(part), std::string::npos)
      << "wanted: " << part << "\ngot: " << job.error().message;
}

TEST(TorchEnvironment, ReadsTorchrun) {
  const auto job = JobEnvironment::from(torchrun());
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->source, EnvironmentSource::torch);
  EXPECT_EQ(job->launcher, "torch");
  EXPECT_EQ(job->rank, 3);
  EXPECT_EQ(job->local_rank, 1);
  EXPECT_EQ(job->node_rank, 1);
  EXPECT_EQ(job->world_size, 4);
  EXPECT_EQ(job->local_world_size, 2);
  EXPECT_EQ(job->tasks_per_node, (std::vector<int>{2, 2}));
  EXPECT_EQ(job->master_address, "node1");
  EXPECT_EQ(job->master_port, 29500);
  EXPECT_EQ(job->origins.at("node_rank"), "GROUP_RANK");
}

TEST(TorchEnvironment, ReadsWhatIsWrittenForOtherPrograms) {
  const JobEnvironment job = *JobEnvironment::from(torchrun());
  EXPECT_EQ(JobEnvironment::from(job.to_torch_env())->to_torch_env(), job.to_torch_env());
}

TEST(TorchEnvironment, OnLoopbackThereIsOneNode) {
  const auto job = JobEnvironment::from(by_hand_on_one_node());
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->local_world_size, 2);
  EXPECT_EQ(job->tasks_per_node, (std::vector<int>{2}));
  expect_torchrun_refused(by_hand_on_one_node().set("MASTER_ADDR", "10.0.0.1"),
                          "LOCAL_WORLD_SIZE is not set");
}

TEST(TorchEnvironment, APartOfTheVariablesIsRefused) {
  for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"}) {
    EnvMap env = torchrun();
    env.unset(name);
    expect_torchrun_refused(env, std::string(name) + " is not set");
    EXPECT_FALSE(JobEnvironment::from(EnvMap().set(name, "1"))) << name << " alone";
  }
}

TEST(TorchEnvironment, ContradictionsAreRefused) {
  expect_torchrun_refused(torchrun().set("RANK", "4"), "rank 4 is not below the world size, 4");
  expect_torchrun_refused(torchrun().set("RANK", "2"), "rank 2 is local rank 1 of node 1");
  expect_torchrun_refused(torchrun().set("LOCAL_RANK", "0"), "rank 3 is local rank 0 of node 1");
  expect_torchrun_refused(torchrun().set("GROUP_RANK", "0"), "rank 3 is local rank 1 of node 0");
  expect_torchrun_refused(torchrun().set("NODE_RANK", "0"), "rank 3 is local rank 1 of node 0");
  expect_torchrun_refused(torchrun().set("WORLD_SIZE", "5"), "LOCAL_WORLD_SIZE does not divide WORLD_SIZE");
  expect_torchrun_refused(torchrun().set("LOCAL_WORLD_SIZE", "8"),
                          "LOCAL_WORLD_SIZE does not divide WORLD_SIZE");
}

TEST(TorchEnvironment, RefusesWhatIsNoNumber) {
  for (const char* name :
       {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_PORT"}) {
    expect_torchrun_refused(torchrun().set(name, "one"), std::string(name) + " is 'one'");
  }
  expect_torchrun_refused(torchrun().set("WORLD_SIZE", "2147483647").set("LOCAL_WORLD_SIZE", "1"),
                          "WORLD_SIZE is '2147483647'");
}

}  // namespace
}  // namespace ddp
