#include "cli/doctor/node_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/launchers/launcher_row.hpp"

namespace ddp::cli {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

NodeFacts healthy() {
  const DiskSpace disk{"ext4", std::uint64_t{100} << 30, 1'000'000, 900'000};
  NodeFacts node{.host = "node7",
                 .agent_version = DDP_VERSION,
                 .libc = "2.36",
                 .cpus = 8,
                 .memory_available_bytes = std::uint64_t{64} << 30,
                 .run_root = disk,
                 .temporary = disk};
  node.network = {"10.0.0.7", "ib0", 40000, 1e-4, 1e-5, ""};
  node.trainer.version = "ddptrain";
  return node;
}

RunSpec training() {
  RunSpec spec;
  spec.train.emplace();
  return spec;
}

/// The only thing that is wrong.
Finding complaint(const NodeFacts& node, const RunSpec& spec = training()) {
  const auto findings = judge_node(node, spec);
  EXPECT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings.back().host, "node7");
  EXPECT_NE(findings.back().advice, "");
  return findings.back();
}

TEST(NodeVerdict, AHealthyOne) {
  const auto findings = judge_node(healthy(), training());
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].verdict, Verdict::ok);
  EXPECT_EQ(findings[0].found,
            "8 CPUs, 64.0 GiB of memory free, no GPU, glibc 2.36, ib0 10.0.0.7, clock +100 us from the "
            "head's clock, +/- "
            "10 us");
}

TEST(NodeVerdict, AnotherVersion) {
  auto node = healthy();
  node.agent_version = "0.0.1";
  EXPECT_EQ(complaint(node).verdict, Verdict::error);
  EXPECT_THAT(complaint(node).found, HasSubstr("0.0.1"));
}

TEST(NodeVerdict, MissingLibrariesMatterToATraining) {
  auto node = healthy();
  node.trainer = {"", {"libc10.so", "libtorch_cpu.so"}, "'ddptrain --version' fails"};
  EXPECT_EQ(complaint(node).verdict, Verdict::error);
  EXPECT_EQ(complaint(node).found, "ddptrain does not find its libraries: libc10.so, libtorch_cpu.so");
  EXPECT_EQ(complaint(node, RunSpec{}).verdict, Verdict::warning);
  node.trainer.missing_libraries.clear();
  EXPECT_EQ(complaint(node).found, "'ddptrain --version' fails");
}

TEST(NodeVerdict, LittleMemory) {
  auto node = healthy();
  node.memory_available_bytes = 1 << 20;
  EXPECT_EQ(complaint(node).verdict, Verdict::warning);
  RunSpec spec = training();
  for (const auto& [launcher, command] :
       {std::pair("slurm", "srun --nodelist=node7 top -bn1"), std::pair("ssh", "ssh node7 top -bn1"),
        std::pair("local", "top -bn1")}) {
    spec.launcher = find_launcher(launcher);
    EXPECT_THAT(complaint(node, spec).advice, HasSubstr(std::string("with: ") + command)) << launcher;
  }
}

TEST(NodeVerdict, AFullDisk) {
  auto node = healthy();
  node.temporary.free_bytes = 0;
  EXPECT_EQ(complaint(node).verdict, Verdict::error);
  EXPECT_EQ(complaint(node).check, "/tmp");
}

TEST(NodeVerdict, AFolderThatIsNotShared) {
  auto node = healthy();
  node.shared_problem = "does not see the file that head wrote";
  EXPECT_EQ(complaint(node).verdict, Verdict::error);
}

TEST(NodeVerdict, NoWayToTheFirstNode) {
  auto node = healthy();
  node.network.problem = "cannot connect";
  EXPECT_EQ(complaint(node).found, "cannot connect");
  EXPECT_EQ(complaint(node).verdict, Verdict::error);
}

TEST(NodeVerdict, NoFreePort) {
  auto node = healthy();
  node.network.free_port = 0;
  EXPECT_EQ(complaint(node).verdict, Verdict::error);
}

TEST(NodeVerdict, AWrongClock) {
  auto node = healthy();
  node.network.clock_offset_seconds = 7200;
  EXPECT_EQ(complaint(node).verdict, Verdict::error);
  EXPECT_EQ(complaint(node).check, "clock");
}

TEST(NodeVerdict, GpusThatTheRunNeeds) {
  auto spec = training();
  spec.resources.gpus_per_node = 2;
  auto node = healthy();
  EXPECT_THAT(complaint(node, spec).found, HasSubstr("no NVIDIA driver"));
  node.gpus = {"580.65.06", {"GPU-a"}};
  EXPECT_EQ(complaint(node, spec).found, "1 GPU, but the run needs 2");
  node.gpus.uuids.emplace_back("GPU-b");
  EXPECT_THAT(judge_node(node, spec), SizeIs(1));
}

}  // namespace
}  // namespace ddp::cli
