#include "cli/launch/plan/launch_plan_builder.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

const RunFolder kFolder("/runs/job-1");

RunSpec command_spec() {
  RunSpec spec;
  spec.name = "job";
  spec.resources.nodes = 2;
  spec.resources.tasks_per_node = 3;
  spec.resources.gpus_per_node = 1;
  spec.resources.cpus_per_task = 4;
  spec.resources.time = std::chrono::hours(1);
  spec.environment.set = {{"K", "v"}};
  spec.fault_tolerance.grace_period = std::chrono::seconds(7);
  spec.command = {"python3", "train.py"};
  return spec;
}

TEST(LaunchPlanBuilder, TakesOverTheSpec) {
  const auto plan =
      make_launch_plan(command_spec(), kFolder, {.agent = "/bin/ddp-agent", .trainer = {}, .work_dir = "/w"});
  EXPECT_EQ(plan.run_id, "job-1");
  EXPECT_EQ(plan.run_dir, "/runs/job-1");
  EXPECT_EQ(plan.launcher, "local");
  EXPECT_EQ(plan.nodes, 2);
  EXPECT_EQ(plan.tasks_per_node, 3);
  EXPECT_EQ(plan.cpus_per_task, 4);
  EXPECT_EQ(plan.gpus_per_node, 1);
  EXPECT_EQ(plan.program, ProgramKind::command);
  EXPECT_EQ(plan.argv, (std::vector<std::string>{"python3", "train.py"}));
  EXPECT_EQ(plan.work_dir, "/w");
  EXPECT_EQ(plan.agent, "/bin/ddp-agent");
  EXPECT_EQ(plan.set.at("K"), "v");
  EXPECT_EQ(plan.time_limit, std::chrono::hours(1));
  EXPECT_EQ(plan.grace_period, std::chrono::seconds(7));
  EXPECT_EQ(plan.stop_signal, "USR2");
  EXPECT_EQ(plan.stop_signal_for, StopSignalFor::heeding_ranks);
  EXPECT_EQ(plan.hang_answer, HangAnswer::tell);
  EXPECT_EQ(plan.max_restarts, 0);
}

TEST(LaunchPlanBuilder, KnowsHowLongARankMayBeSilent) {
  using std::chrono::seconds;
  const auto timeout = [](const std::string& chosen) {
    auto spec = command_spec();
    spec.fault_tolerance.hang_timeout = chosen;
    return make_launch_plan(spec, kFolder, {}).hang_timeout;
  };
  EXPECT_EQ(make_launch_plan(command_spec(), kFolder, {}).hang_timeout, seconds(60));
  EXPECT_EQ(timeout("auto"), seconds(60));
  EXPECT_EQ(timeout("1m30s"), seconds(90));
  EXPECT_EQ(timeout("off"), std::nullopt);
}

TEST(LaunchPlanBuilder, HasTheSetupLinesWhereThereIsNoBatchScript) {
  auto spec = command_spec();
  spec.environment.setup = {"source env.sh"};
  EXPECT_EQ(make_launch_plan(spec, kFolder, {}).setup, spec.environment.setup);
  spec.launcher = find_launcher("ssh");
  EXPECT_EQ(make_launch_plan(spec, kFolder, {}).setup, spec.environment.setup);
  spec.launcher = find_launcher("slurm");
  EXPECT_TRUE(make_launch_plan(spec, kFolder, {}).setup.empty());
}

TEST(LaunchPlanBuilder, TrainsFromTheSpecInTheRunFolder) {
  auto spec = command_spec();
  spec.command.clear();
  spec.train.emplace();
  const auto plan = make_launch_plan(
      spec, kFolder, {.agent = "/bin/ddp-agent", .trainer = "/bin/ddptrain", .work_dir = "/w"});
  EXPECT_EQ(plan.program, ProgramKind::trainer);
  EXPECT_EQ(plan.argv, (std::vector<std::string>{"/bin/ddptrain", "--config", "/runs/job-1/spec.yaml"}));
  EXPECT_EQ(plan.max_restarts, 3);
  EXPECT_EQ(plan.stop_signal, "USR2");
  EXPECT_TRUE(plan.resumes);
  spec.train->checkpoint.resume = trainer::Resume::never;
  EXPECT_FALSE(make_launch_plan(spec, kFolder, {}).resumes);
}

}  // namespace
}  // namespace ddp::cli
