#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/jobenv/rank_layout.hpp"

namespace ddp {
namespace {

/// Rank 3 of 2 + 2 + 1 on three nodes.
EnvMap block() {
  return EnvMap({{"DDPSUBMIT_RUN_ID", "mnist-0a1b2c3d"},
                 {"DDPSUBMIT_RUN_DIR", "/runs/mnist-0a1b2c3d"},
                 {"DDPSUBMIT_ATTEMPT", "1"},
                 {"DDPSUBMIT_LAUNCHER", "slurm"},
                 {"DDPSUBMIT_JOB_ID", "17"},
                 {"DDPSUBMIT_ARRAY_JOB_ID", "16"},
                 {"DDPSUBMIT_ARRAY_TASK_ID", "1"},
                 {"DDPSUBMIT_RANK", "3"},
                 {"DDPSUBMIT_LOCAL_RANK", "1"},
                 {"DDPSUBMIT_NODE_RANK", "1"},
                 {"DDPSUBMIT_WORLD_SIZE", "5"},
                 {"DDPSUBMIT_LOCAL_WORLD_SIZE", "2"},
                 {"DDPSUBMIT_TASKS_PER_NODE", "2(x2),1"},
                 {"DDPSUBMIT_HOSTNAMES", "node[1-3]"},
                 {"DDPSUBMIT_NODE_NAME", "node2"},
                 {"DDPSUBMIT_MASTER_ADDRESS", "10.0.0.1"},
                 {"DDPSUBMIT_MASTER_PORT", "40001"},
                 {"DDPSUBMIT_NONCE", "f00dcafe"},
                 {"DDPSUBMIT_INTERFACE", "10.0.0.2"},
                 {"DDPSUBMIT_CPUS_PER_TASK", "4"},
                 {"DDPSUBMIT_DEADLINE", "1800000000"},
                 {"DDPSUBMIT_STOP_SIGNAL", "USR2"},
                 {"DDPSUBMIT_RESTART_COUNT", "2"}});
}

std::string message_of(const EnvMap& env) {
  const auto job = JobEnvironment::from(env);
  return job ? "" : job.error().message;
}

TEST(DdpsubmitEnvironment, ReadsTheWholeBlock) {
  const auto job = JobEnvironment::from(block().set("CUDA_VISIBLE_DEVICES", "0,1"));
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->source, EnvironmentSource::ddpsubmit);
  EXPECT_EQ(job->run_id, "mnist-0a1b2c3d");
  EXPECT_EQ(job->run_dir, "/runs/mnist-0a1b2c3d");
  EXPECT_EQ(job->attempt, 1);
  EXPECT_EQ(job->launcher, "slurm");
  EXPECT_EQ(job->job_id, "17");
  EXPECT_EQ(job->array_job_id, "16");
  EXPECT_EQ(job->array_task_id, "1");
  EXPECT_EQ(job->rank, 3);
  EXPECT_EQ(job->local_rank, 1);
  EXPECT_EQ(job->node_rank, 1);
  EXPECT_EQ(job->world_size, 5);
  EXPECT_EQ(job->local_world_size, 2);
  EXPECT_EQ(job->tasks_per_node, (std::vector<int>{2, 2, 1}));
  EXPECT_EQ(job->hostnames, (std::vector<std::string>{"node1", "node2", "node3"}));
  EXPECT_EQ(job->node_name, "node2");
  EXPECT_EQ(job->master_address, "10.0.0.1");
  EXPECT_EQ(job->master_port, 40001);
  EXPECT_EQ(job->nonce, "f00dcafe");
  EXPECT_EQ(job->interface, "10.0.0.2");
  EXPECT_EQ(job->cpus_per_task, 4);
  EXPECT_EQ(job->gpus, (std::vector<Gpu>{{0, "0"}, {1, "1"}}));
  EXPECT_EQ(job->deadline, std::chrono::system_clock::from_time_t(1800000000));
  EXPECT_EQ(job->stop_signal, "USR2");
  EXPECT_EQ(job->restart_count, 2);
}

TEST(DdpsubmitEnvironment, EveryFieldNamesTheVariableItCameFrom) {
  const JobEnvironment job = *JobEnvironment::from(block());
  for (const EnvironmentRow& row : rows_of(job)) {
    std::string expected = "DDPSUBMIT_";
    for (const char c : row.field) expected += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(row.origin, row.field == "gpus" ? "default" : expected);
  }
}

TEST(DdpsubmitEnvironment, WinsOverSlurmAndTorch) {
  EnvMap env =
      block().set("RANK", "0").set("WORLD_SIZE", "1").set("SLURM_JOB_ID", "9").set("SLURM_PROCID", "7");
  EXPECT_EQ(JobEnvironment::from(env)->rank, 3);
}

TEST(DdpsubmitEnvironment, ABlockWithAHoleIsRefusedAndTheHoleNamed) {
  const std::vector<std::string> optional = {"DDPSUBMIT_JOB_ID",        "DDPSUBMIT_ARRAY_JOB_ID",
                                             "DDPSUBMIT_ARRAY_TASK_ID", "DDPSUBMIT_INTERFACE",
                                             "DDPSUBMIT_DEADLINE",      "DDPSUBMIT_STOP_SIGNAL"};
  const EnvMap whole = block();
  for (const auto& [name, value] : whole.variables()) {
    EnvMap env = block();
    env.unset(name);
    const bool may_be_absent = std::find(optional.begin(), optional.end(), name) != optional.end();
    const std::string message = message_of(env);
    EXPECT_EQ(message.empty(), may_be_absent) << name << ": " << message;
    if (!may_be_absent) {
      EXPECT_NE(message.find(name + " is not set"), std::string::npos) << message;
    }
    EXPECT_FALSE(message_of(EnvMap().set(name, value)).empty()) << name << " alone";
  }
}

TEST(DdpsubmitEnvironment, ChangingOneVariableOfThePlaceIsAContradiction) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> changes = {
      {"DDPSUBMIT_RANK", {"0", "1", "2", "4", "5", "99"}},
      {"DDPSUBMIT_LOCAL_RANK", {"0", "2"}},
      {"DDPSUBMIT_NODE_RANK", {"0", "2", "3"}},
      {"DDPSUBMIT_WORLD_SIZE", {"3", "4", "6"}},
      {"DDPSUBMIT_LOCAL_WORLD_SIZE", {"1", "3"}},
      {"DDPSUBMIT_TASKS_PER_NODE", {"1(x3)", "2(x3)", "2,1,2", "3,2", "5"}},
      {"DDPSUBMIT_HOSTNAMES", {"node[1-2]", "node[1-4]", "node1,node3,node2"}},
      {"DDPSUBMIT_NODE_NAME", {"node1", "node3", "other"}},
  };
  for (const auto& [name, values] : changes) {
    for (const std::string& value : values) {
      EXPECT_FALSE(message_of(block().set(name, value)).empty()) << name << "=" << value;
    }
  }
}

TEST(DdpsubmitEnvironment, RefusesWhatIsNoValue) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> changes = {
      {"DDPSUBMIT_RANK", {"-1", "+3", "3 ", " 3", "3.0", "0x3", "three", "99999999999999999999", ""}},
      {"DDPSUBMIT_ATTEMPT", {"-1", "x"}},
      {"DDPSUBMIT_MASTER_PORT", {"0", "65536", "http"}},
      {"DDPSUBMIT_CPUS_PER_TASK", {"0", "many"}},
      {"DDPSUBMIT_DEADLINE", {"-1", "tomorrow", "999999999999999999"}},
      {"DDPSUBMIT_RUN_DIR", {"runs/1", ""}},
      {"DDPSUBMIT_HOSTNAMES", {"node[1-3", "node[3-1]", ",", ""}},
      {"DDPSUBMIT_TASKS_PER_NODE", {"2(x2", "0", ""}},
  };
  for (const auto& [name, values] : changes) {
    for (const std::string& value : values) {
      const std::string message = message_of(block().set(name, value));
      EXPECT_NE(message.find(name), std::string::npos) << name << "='" << value << "': " << message;
    }
  }
}

TEST(DdpsubmitEnvironment, TheErrorShowsWhatWasReadButNotTheNonce) {
  const auto job = JobEnvironment::from(block().set("DDPSUBMIT_RANK", "two\n").set("DDPSUBMIT_ATTEMPT", "-"));
  ASSERT_FALSE(job);
  const std::string& message = job.error().message;
  EXPECT_EQ(job.error().code, ExitCode::config_invalid);
  EXPECT_TRUE(
      message.starts_with("the DDPSUBMIT_ variables do not describe a rank: "
                          "DDPSUBMIT_ATTEMPT is '-', not a whole number from 0; "
                          "DDPSUBMIT_RANK is 'two?', not a whole number from 0\n"))
      << message;
  EXPECT_NE(message.find("\n  DDPSUBMIT_WORLD_SIZE        5\n"), std::string::npos) << message;
  EXPECT_TRUE(message.ends_with("\n  CUDA_VISIBLE_DEVICES        (not set)")) << message;
  EXPECT_EQ(message.find("f00dcafe"), std::string::npos) << message;
  EXPECT_FALSE(job.error().hint.empty());
}

/// A job as ddp-agent makes them, at random.
JobEnvironment random_job(std::mt19937& random) {
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  std::vector<int> tasks(1 + random() % 5);
  for (int& count : tasks) count = 1 + below(4);
  const RankLayout layout = *RankLayout::make(tasks);
  const RankPlace place = layout.place(below(static_cast<unsigned>(layout.world_size())));
  JobEnvironment job;
  job.run_id = "run-" + std::to_string(random());
  job.run_dir = "/runs with spaces/" + job.run_id;
  job.attempt = below(3);
  job.launcher = below(2) == 0 ? "local" : "slurm";
  if (below(2) == 0) job.job_id = std::to_string(random());
  if (below(2) == 0) job.array_task_id = std::to_string(random());
  job.rank = place.rank;
  job.local_rank = place.local_rank;
  job.node_rank = place.node_rank;
  job.world_size = layout.world_size();
  job.local_world_size = layout.tasks_on(place.node_rank);
  job.tasks_per_node = tasks;
  const int first = below(12);
  for (int node = 0; node < layout.nodes(); ++node) {
    job.hostnames.push_back((node == 2 ? "gpu-" : "node0") + std::to_string(first + node));
  }
  job.node_name = job.hostnames[static_cast<std::size_t>(place.node_rank)];
  job.master_address = below(2) == 0 ? "127.0.0.1" : "fd00::1";
  job.master_port = 1 + below(65535);
  job.nonce = std::to_string(random());
  if (below(2) == 0) job.interface = "192.168.0.7";
  job.cpus_per_task = 1 + below(64);
  if (below(2) == 0) job.deadline = std::chrono::system_clock::from_time_t(1'700'000'000 + below(1'000'000));
  if (below(2) == 0) job.stop_signal = "RTMIN+1";
  job.restart_count = below(3);
  return job;
}

TEST(DdpsubmitEnvironment, WhatIsWrittenIsReadBack) {
  constexpr unsigned kSeed = 11;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 3000; ++i) {
    const JobEnvironment job = random_job(random);
    const auto again = JobEnvironment::from(job.to_env());
    ASSERT_TRUE(again) << again.error().message;
    const auto rows = rows_of(job);
    const auto rows_again = rows_of(*again);
    for (std::size_t row = 0; row < rows.size(); ++row)
      ASSERT_EQ(rows_again[row].value, rows[row].value) << rows[row].field;
    ASSERT_EQ(again->hostnames, job.hostnames);
    ASSERT_EQ(again->to_env(), job.to_env());
  }
}

TEST(DdpsubmitEnvironment, WritesTorchsNames) {
  EXPECT_EQ(JobEnvironment::from(block())->to_torch_env(), EnvMap({{"RANK", "3"},
                                                                   {"LOCAL_RANK", "1"},
                                                                   {"WORLD_SIZE", "5"},
                                                                   {"LOCAL_WORLD_SIZE", "2"},
                                                                   {"NODE_RANK", "1"},
                                                                   {"MASTER_ADDR", "10.0.0.1"},
                                                                   {"MASTER_PORT", "40001"}}));
}

}  // namespace
}  // namespace ddp
