#include "cli/launchers/slurm/preflight/cluster_limits.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A partition of CPUs for an hour, and one of GPUs on three nodes, one of them large.
class ClusterLimitsTest : public testing::Test {
 protected:
  std::vector<std::string> broken() const {
    std::vector<std::string> messages;
    for (const auto& error : find_broken_limits(spec, cluster, limits)) {
      EXPECT_EQ(error.code, ExitCode::preflight_failed);
      EXPECT_FALSE(error.hint.empty()) << error.message;
      messages.push_back(error.message);
    }
    return messages;
  }
  std::string hint() const { return find_broken_limits(spec, cluster, limits).at(0).hint; }

  std::vector<NodeGroup> cluster = parse_node_groups(
      "cpu*|up|1:00:00|1-2|10|8|16000|(null)|(null)\n"
      "gpu|up|infinite|1-infinite|2|16|64000|ib,a40|gpu:a40:4(S:0-1)\n"
      "gpu|up|infinite|1-infinite|1|64|512000|ib,a100|gpu:a100:8\n"
      "old|inact|infinite|1-infinite|1|16|64000|(null)|(null)\n");
  RunSpec spec;
  PartitionLimits limits = PartitionLimits::held;
};

TEST_F(ClusterLimitsTest, ARunThatFitsBreaksNone) {
  spec.resources.nodes = 2;
  spec.resources.tasks_per_node = 4;
  spec.resources.cpus_per_task = 2;
  spec.resources.memory_bytes = std::uint64_t{16'000} << 20;
  spec.resources.time = std::chrono::hours(1);
  EXPECT_THAT(broken(), IsEmpty());
  options_of<SlurmOptions>(spec).partition = "gpu";
  spec.resources.gpus_per_node = 4;
  spec.resources.nodes = 3;
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ClusterLimitsTest, WithoutAPartitionAreBrokenOnlyIfEveryOneBreaksThem) {
  spec.resources.nodes = 3;  // the default one gives two
  EXPECT_THAT(broken(), IsEmpty());
  spec.resources.nodes = 11;
  EXPECT_THAT(broken(), ElementsAre("resources.nodes is 11: partition 'cpu' has 10 nodes"));
}

TEST_F(ClusterLimitsTest, AreAllToldAtOnce) {
  options_of<SlurmOptions>(spec).partition = "cpu";
  spec.resources.nodes = 3;
  spec.resources.tasks_per_node = 9;
  spec.resources.gpus_per_node = 1;
  spec.resources.memory_bytes = std::uint64_t{16'001} << 20;
  spec.resources.time = std::chrono::minutes(61);
  EXPECT_THAT(
      broken(),
      ElementsAre(
          "resources.time is 1h1m: partition 'cpu' ends jobs after 1h",
          "resources.nodes is 3: partition 'cpu' allows at most 2 per job",
          "resources.cpus_per_task asks for 9 x 1 CPUs per node: partition 'cpu' has at most 8 CPUs per node",
          "resources.memory is 16001 MiB per node: partition 'cpu' has at most 16000 MiB per node",
          "resources.gpus_per_node is 1: partition 'cpu' has no node with a GPU"));
}

TEST_F(ClusterLimitsTest, ThePartitionHasToBeThere) {
  options_of<SlurmOptions>(spec).partition = "gpus";
  EXPECT_THAT(broken(), ElementsAre("slurm.partition is 'gpus': the cluster has no such partition"));
  EXPECT_EQ(hint(), "did you mean 'gpu'?");
  options_of<SlurmOptions>(spec).partition = "old";
  EXPECT_THAT(broken(),
              ElementsAre("slurm.partition is 'old': partition 'old' accepts no jobs: it is inact"));
  cluster[0].is_default = false;
  options_of<SlurmOptions>(spec).partition.reset();
  EXPECT_THAT(broken(), IsEmpty()) << "a plugin may set it";
}

TEST_F(ClusterLimitsTest, OnePartitionOfSeveralIsEnough) {
  spec.resources.gpus_per_node = 8;
  options_of<SlurmOptions>(spec).partition = "cpu,gpu";
  EXPECT_THAT(broken(), IsEmpty());
  spec.resources.gpus_per_node = 9;
  EXPECT_THAT(broken(),
              ElementsAre("resources.gpus_per_node is 9: partition 'cpu' has no node with a GPU",
                          "resources.gpus_per_node is 9: partition 'gpu' has at most 8 GPUs per node"));
}

TEST_F(ClusterLimitsTest, TheNodesHaveToBeEnough) {
  options_of<SlurmOptions>(spec).partition = "gpu";
  spec.resources.nodes = 4;
  EXPECT_THAT(broken(), ElementsAre("resources.nodes is 4: partition 'gpu' has 3 nodes"));
  spec.resources.nodes = 2;
  spec.resources.gpus_per_node = 8;
  EXPECT_THAT(broken(),
              ElementsAre("resources.gpus_per_node is 8: partition 'gpu' has only 1 node with that much"));
}

TEST_F(ClusterLimitsTest, TypesOfGpusAreToldApart) {
  options_of<SlurmOptions>(spec).partition = "gpu";
  options_of<SlurmOptions>(spec).gres = "gpu:a41:2";
  EXPECT_THAT(broken(), ElementsAre("slurm.gres is 'gpu:a41:2': partition 'gpu' has no GPU of type 'a41'"));
  EXPECT_EQ(hint(), "did you mean 'a40'?");
  options_of<SlurmOptions>(spec).gres = "gpu:a40:5";
  EXPECT_THAT(broken(), ElementsAre("slurm.gres is 'gpu:a40:5': partition 'gpu' has at most 4 GPUs of type "
                                    "'a40' per node"));
  options_of<SlurmOptions>(spec).gres.reset();
  spec.resources.gpus_per_node = 4;
  spec.resources.gpu_type = "h100";
  EXPECT_THAT(broken(),
              ElementsAre("resources.gpu_type is 'h100': partition 'gpu' has no GPU of type 'h100'"));
  options_of<SlurmOptions>(spec).gres = "nvme";
  EXPECT_THAT(broken(), ElementsAre("slurm.gres is 'nvme': partition 'gpu' has no node with a nvme"));
}

TEST_F(ClusterLimitsTest, AllOfItHasToBeOnTheSameNodes) {
  options_of<SlurmOptions>(spec).partition = "gpu";
  options_of<SlurmOptions>(spec).gres = "gpu:a40:1";
  spec.resources.cpus_per_task = 64;
  EXPECT_THAT(
      broken(),
      ElementsAre(
          "resources.nodes is 1: partition 'gpu' has only 0 with all the requested CPUs, memory and GPUs"));
}

TEST_F(ClusterLimitsTest, AQosMayLiftTheLimitsOfThePartition) {
  spec.resources.time = std::chrono::hours(2);
  spec.resources.nodes = 3;
  options_of<SlurmOptions>(spec).qos = "long";
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ClusterLimitsTest, FeaturesHaveToBeKnown) {
  options_of<SlurmOptions>(spec).partition = "gpu";
  options_of<SlurmOptions>(spec).constraint = "ib&a100";
  EXPECT_THAT(broken(), IsEmpty());
  options_of<SlurmOptions>(spec).constraint = "ib&h100";
  EXPECT_THAT(broken(), ElementsAre("slurm.constraint is 'ib&h100': partition 'gpu' has no node with the "
                                    "feature 'h100'"));
  options_of<SlurmOptions>(spec).constraint = "[h100|h200]";
  EXPECT_THAT(broken(), IsEmpty()) << "left to Slurm";
}

TEST_F(ClusterLimitsTest, OvercommittedCpusAreNoLimit) {
  spec.resources.cpus_per_task = 9;
  options_of<SlurmOptions>(spec).options["overcommit"] = "";
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace ddp::cli
