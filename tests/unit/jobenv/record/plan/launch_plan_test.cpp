#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/record/plan/notify_event.hpp"
#include "tests/support/use_launcher.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ddp {
namespace {

using nlohmann::json;

LaunchPlan plan() {
  LaunchPlan plan;
  plan.run_id = "mnist-0a1b2c3d";
  plan.run_dir = "/runs/mnist-0a1b2c3d";
  use_launcher(plan, "slurm");
  plan.nodes = 2;
  plan.tasks_per_node = 4;
  plan.cpus_per_task = 3;
  plan.gpus_per_node = 1;
  plan.program = ProgramKind::command;
  plan.argv = {"python", "train.py", ""};
  plan.work_dir = "/home/me/project";
  plan.submit_dir = "/home/me";
  plan.agent = "/opt/bin/ddp-agent";
  plan.start_options = {"--cpu-bind=none", "--container-image=a b.sqsh"};
  plan.output_link = "/home/me/slurm-%j.out";
  plan.set = {{"A", "1"}, {"B", "x=y z"}};
  plan.setup = {"source env.sh", ""};
  plan.setup_places = {"run.yaml:4:13", "command line"};
  plan.interface = "eth0";
  plan.time_limit = std::chrono::seconds(3600);
  plan.stop_signal = "USR2";
  plan.hang_timeout = std::chrono::seconds(90);
  plan.max_restarts = 3;
  plan.resumes = false;
  plan.requeue = true;
  plan.max_requeues = 2;
  plan.waits.lease = std::chrono::milliseconds(2500);
  return plan;
}

std::string refused(const std::string& field, const json& value) {
  json changed = to_json(plan());
  changed[field] = value;
  const auto parsed = parse_launch_plan(changed);
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code, ExitCode::config_invalid);
  return parsed.error().message;
}

TEST(LaunchPlan, IsReadAsItWasWritten) {
  EXPECT_EQ(parse_launch_plan(to_json(plan())), plan());
  EXPECT_EQ(parse_launch_plan(json::parse(to_json(plan()).dump())), plan());
  LaunchPlan plain = plan();
  plain.time_limit.reset();
  plain.stop_signal.reset();
  plain.max_requeues.reset();
  plain.hang_timeout.reset();
  plain.set.clear();
  plain.program = ProgramKind::trainer;
  plain.fewer_nodes = {1};
  plain.libraries = {.first = "/own/lib", .spare = "/venv/lib"};
  EXPECT_EQ(parse_launch_plan(to_json(plain)), plain);
}

TEST(LaunchPlan, EveryFieldIsNeeded) {
  const json whole = to_json(plan());
  for (const auto& item : whole.items()) {
    if (item.key() == "waits_milliseconds") continue;  // only tests write it
    json with_hole = whole;
    with_hole.erase(item.key());
    const auto parsed = parse_launch_plan(with_hole);
    ASSERT_FALSE(parsed) << item.key();
    EXPECT_EQ(parsed.error().message, "launch plan: field '" + item.key() + "' is missing");
  }
}

TEST(LaunchPlan, OptionsOfTheStarterAreOptions) {
  EXPECT_EQ(refused("start_options", json::parse(R"(["rm"])")),
            "launch plan: field 'start_options' holds 'rm', which is not an option");
  EXPECT_NE(refused("output_link", "slurm-%j.out"), "");
}

TEST(LaunchPlan, NotifyNamesEvents) {
  LaunchPlan notifies = plan();
  notifies.notify_command = {"./notify.sh"};
  for (const NotifyEvent event : kNotifyEvents) notifies.notify_events.emplace_back(name_of(event));
  notifies.notify_events.emplace_back("of_a_later_version");
  EXPECT_EQ(parse_launch_plan(to_json(notifies)), notifies);
}

TEST(LaunchPlan, FewerNodesAreFewer) {
  for (const char* wrong : {"[2]", "[0]", "[1, \"x\"]", "1"})
    EXPECT_NE(refused("fewer_nodes", json::parse(wrong)), "") << wrong;
}

TEST(LaunchPlan, HostsAreNamedWhereThePlanHasThemAndOnlyThere) {
  json over_ssh = to_json(plan());
  over_ssh["launcher_traits"]["names_hosts"] = true;
  EXPECT_FALSE(parse_launch_plan(over_ssh));
  for (int node = 0; node < plan().nodes; ++node) over_ssh["hosts"].push_back("n" + std::to_string(node));
  const auto parsed = parse_launch_plan(over_ssh);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->hosts.size(), static_cast<std::size_t>(plan().nodes));
  over_ssh["launcher_traits"]["names_hosts"] = false;
  EXPECT_FALSE(parse_launch_plan(over_ssh));
}

TEST(LaunchPlan, EveryFieldHasItsType) {
  const json whole = to_json(plan());
  for (const auto& item : whole.items()) {
    for (const json& wrong : {json(1.5), json(-7), json(json::array({1})), json{{"k", 1}}}) {
      if (item.key() == "fewer_nodes" && wrong == json::array({1})) continue;
      const std::string message = refused(item.key(), wrong);
      EXPECT_TRUE(message.starts_with("launch plan: field '" + item.key() + "' "))
          << item.key() << wrong << message;
    }
  }
}

TEST(LaunchPlan, RefusesWhatCannotBe) {
  EXPECT_EQ(refused("launcher_traits", {{"schema", "ddpsubmit.launcher_traits.v1"}}),
            "launch plan: field 'launcher_traits' is refused: launcher traits: field 'scheduler' is missing");
  EXPECT_EQ(refused("program", "shell"), "launch plan: field 'program' has the unknown value 'shell'");
  EXPECT_EQ(refused("hang_timeout_seconds", 0), "launch plan: field 'hang_timeout_seconds' is 0");
  EXPECT_EQ(refused("run_id", ""), "launch plan: field 'run_id' is empty");
  EXPECT_EQ(refused("argv", json::array()), "launch plan: field 'argv' names no program");
  EXPECT_EQ(refused("argv", {""}), "launch plan: field 'argv' names no program");
  EXPECT_EQ(refused("argv", {"a", std::string("b\0c", 3)}),
            "launch plan: field 'argv' is not a list of texts");
  EXPECT_EQ(refused("nodes", 0), "launch plan: field 'nodes' is 0, not from 1 to 1048576");
  EXPECT_EQ(refused("tasks_per_node", 1000000),
            "launch plan: field 'tasks_per_node' is 1000000, not from 1 to 524288");
  EXPECT_EQ(refused("stop_signal", "USR3"),
            "launch plan: field 'stop_signal' is 'USR3', which is not a signal");
  EXPECT_EQ(refused("set", {{"A=B", "1"}}),
            "launch plan: field 'set' holds 'A=B', which is not a valid variable name");
  EXPECT_EQ(refused("set", {{"", "1"}}),
            "launch plan: field 'set' holds '', which is not a valid variable name");
  for (const char* path : {"run_dir", "work_dir", "submit_dir", "agent"}) {
    EXPECT_EQ(refused(path, "relative"),
              "launch plan: field '" + std::string(path) + "' is not an absolute path");
  }
  EXPECT_EQ(refused("comment", "x"), "launch plan: field 'comment' is not known to this program");
}

}  // namespace
}  // namespace ddp
