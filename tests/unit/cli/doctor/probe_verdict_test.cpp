#include "cli/doctor/probe_verdict.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RunSpec two_nodes() {
  RunSpec spec;
  spec.launcher = find_launcher("slurm");
  spec.resources.nodes = 2;
  spec.train.emplace();
  return spec;
}

NodeFacts node(int rank) {
  const DiskSpace disk{"ext4", std::uint64_t{100} << 30, 0, 0};
  NodeFacts facts{.node_rank = rank,
                  .host = "node" + std::to_string(rank + 1),
                  .agent_version = DDP_VERSION,
                  .run_root = disk,
                  .temporary = disk};
  facts.network = {"10.0.0.1", "eth0", 40000, 0, 0, ""};
  facts.trainer.version = "ddptrain";
  return facts;
}

ProbeReport healthy_probe() {
  return {.nodes = {node(0), node(1)},
          .pairs = {{0, 1, 1e-4, 1e-3, ""}, {1, 0, 1e-4, 1e-3, ""}},
          .groups = {{0, 2, 0.1, ""}, {1, 2, 0.1, ""}}};
}

RunStatus ended(RunState state, const std::string& message = "") {
  RunStatus status;
  status.state = state;
  status.message = message;
  return status;
}

const Finding& finding_of(const ProbeVerdict& verdict, std::string_view check) {
  return *std::ranges::find(verdict.findings, check, &Finding::check);
}

TEST(ProbeVerdict, Healthy) {
  const auto verdict = judge_probe(healthy_probe(), ended(RunState::succeeded), two_nodes());
  EXPECT_EQ(worst_verdict(verdict.findings), Verdict::ok);
  EXPECT_THAT(verdict.bad_hosts, IsEmpty());
  EXPECT_EQ(finding_of(verdict, "process group").found,
            "2 ranks joined over Gloo and did an all-reduce in 100.0 ms");
}

TEST(ProbeVerdict, ARunThatFailedNamesItsHost) {
  auto status = ended(RunState::failed, "the agent on node2 is gone");
  status.cause.emplace().host = "node2";
  const auto verdict = judge_probe({}, status, two_nodes());
  EXPECT_EQ(worst_verdict(verdict.findings), Verdict::error);
  EXPECT_EQ(finding_of(verdict, "probe").found, "failed: the agent on node2 is gone");
  EXPECT_THAT(verdict.bad_hosts, ElementsAre("node2"));
}

TEST(ProbeVerdict, AHostWhereNothingStartsIsNamed) {
  const auto verdict = judge_probe(
      {.nodes = {}, .pairs = {}, .groups = {}, .failed_launches = {{"node2", "no start there", "look"}}},
      ended(RunState::failed, "srun ended"), two_nodes());
  EXPECT_EQ(finding_of(verdict, "start").host, "node2");
  EXPECT_THAT(verdict.bad_hosts, ElementsAre("node2"));
}

TEST(ProbeVerdict, ATrainerThatDoesNotStartLeavesOutTheAllReduce) {
  auto report = healthy_probe();
  report.nodes[1].trainer = {"", {"libc10.so"}, "fails"};
  report.pairs.clear();
  report.groups.clear();
  const auto verdict = judge_probe(report, ended(RunState::succeeded), two_nodes());
  EXPECT_EQ(finding_of(verdict, "all-reduce").verdict, Verdict::skipped);
  EXPECT_THAT(verdict.bad_hosts, ElementsAre("node2"));
}

TEST(ProbeVerdict, ATrainerThatStartsNowhereIsNoFaultOfTheNodes) {
  auto report = healthy_probe();
  for (auto& node : report.nodes) node.trainer = {"", {}, "'ddptrain --version' fails"};
  const auto verdict = judge_probe(report, ended(RunState::succeeded), two_nodes());
  EXPECT_EQ(finding_of(verdict, "ddptrain").found, "'ddptrain --version' fails, on node[1-2]");
  EXPECT_THAT(verdict.bad_hosts, IsEmpty());
}

TEST(ProbeVerdict, ANodeThatLacksTheProgramIsNamed) {
  auto report = healthy_probe();
  report.nodes[1].program_problem = "'python3' is not in PATH (/bin)";
  const auto verdict = judge_probe(report, ended(RunState::succeeded), two_nodes());
  EXPECT_EQ(finding_of(verdict, "program").host, "node2");
  EXPECT_EQ(finding_of(verdict, "program").found, "'python3' is not in PATH (/bin)");
  EXPECT_THAT(verdict.bad_hosts, ElementsAre("node2"));
}

TEST(ProbeVerdict, AProgramThatNoNodeHasIsNoFaultOfTheirs) {
  auto report = healthy_probe();
  for (auto& node : report.nodes) node.program_problem = "'pyhton3' is not in PATH (/bin)";
  const auto verdict = judge_probe(report, ended(RunState::succeeded), two_nodes());
  EXPECT_EQ(finding_of(verdict, "program").verdict, Verdict::error);
  EXPECT_EQ(finding_of(verdict, "program").found, "'pyhton3' is not in PATH (/bin), on node[1-2]");
  EXPECT_THAT(verdict.bad_hosts, IsEmpty());
}

TEST(ProbeVerdict, AGroupThatDoesNotComeAbout) {
  auto report = healthy_probe();
  report.groups[1].problem = "too many open files";
  const auto verdict = judge_probe(report, ended(RunState::succeeded), two_nodes());
  EXPECT_EQ(finding_of(verdict, "process group").verdict, Verdict::error);
  report.groups.clear();
  EXPECT_EQ(finding_of(judge_probe(report, ended(RunState::succeeded), two_nodes()), "process group").verdict,
            Verdict::skipped);
}

TEST(ExcludeArgument, AddsToWhatIsLeftOutAlready) {
  auto spec = two_nodes();
  EXPECT_EQ(exclude_argument({}, spec), "");
  EXPECT_EQ(exclude_argument({"node7"}, spec), "slurm.exclude=node7");
  options_of<SlurmOptions>(spec).exclude = "old[1-3]";
  EXPECT_EQ(exclude_argument({"node7", "node8"}, spec), "slurm.exclude=old[1-3],node[7-8]");
  spec.launcher = find_launcher("local");
  EXPECT_EQ(exclude_argument({"node7"}, spec), "");
}

}  // namespace
}  // namespace ddp::cli
