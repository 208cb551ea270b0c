#include "jobenv/record/plan/launch_plan.hpp"

#include <algorithm>
#include <span>

#include "jobenv/record/fields/described_object.hpp"
#include "jobenv/record/files/crc32c.hpp"
#include "jobenv/record/signal_name.hpp"

namespace ddp {
namespace {

constexpr const char* kPlanSchema = "ddpsubmit.launch_plan.v1";
constexpr int kMaxCount = 1 << 20;

void expect_absolute(auto& fields, const char* name, const std::string& path) {
  fields.expect(path.starts_with('/'), name, "is not an absolute path");
}

void describe_job(auto& fields, auto& plan) {
  fields.field("run_id", plan.run_id);
  fields.expect(!plan.run_id.empty(), "run_id", "is empty");
  fields.field("name", plan.name);
  fields.field("run_dir", plan.run_dir);
  expect_absolute(fields, "run_dir", plan.run_dir);
  fields.field("launcher", plan.launcher);
  fields.field("launcher_traits", plan.traits, RecordForm(parse_launcher_traits, "is refused"));
  fields.field("shared_folder", plan.shared_folder);
  fields.field("nodes", plan.nodes, 1, kMaxCount);
  fields.field("hosts", plan.hosts);
  const bool names_all = static_cast<int>(plan.hosts.size()) == plan.nodes;
  fields.expect(plan.traits.names_hosts ? names_all : plan.hosts.empty(), "hosts",
                "does not name a host for each node");
  fields.field("tasks_per_node", plan.tasks_per_node, 1, kMaxCount / std::max(1, plan.nodes));
  fields.field("cpus_per_task", plan.cpus_per_task, 1, kMaxCount);
  fields.field("gpus_per_node", plan.gpus_per_node, 0, kMaxCount);
}

void describe_program(auto& fields, auto& plan) {
  fields.field("program", plan.program, {ProgramKind::trainer, ProgramKind::command});
  fields.field("argv", plan.argv);
  fields.expect(!plan.argv.empty() && !plan.argv.front().empty(), "argv", "names no program");
  fields.field("work_dir", plan.work_dir);
  expect_absolute(fields, "work_dir", plan.work_dir);
  fields.field("submit_dir", plan.submit_dir);
  expect_absolute(fields, "submit_dir", plan.submit_dir);
  fields.field("agent", plan.agent);
  expect_absolute(fields, "agent", plan.agent);
  fields.field("start_options", plan.start_options);
  for (const auto& option : plan.start_options)
    fields.expect(option.starts_with("--") && option.size() > 2, "start_options",
                  "holds '" + option + "', which is not an option");
  fields.field("spec_checksum", plan.spec_checksum);
  fields.field("output_link", plan.output_link);
  if (!plan.output_link.empty()) expect_absolute(fields, "output_link", plan.output_link);
  fields.field("set", plan.set);
  for (const auto& [name, value] : plan.set) {
    fields.expect(!name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string::npos, "set",
                  "holds '" + name + "', which is not a valid variable name");
  }
  fields.field("python_folder", plan.python_folder);
  fields.field("library_folder", plan.libraries.first);
  fields.field("spare_library_folder", plan.libraries.spare);
  fields.field("setup", plan.setup);
  fields.field("setup_places", plan.setup_places);
  fields.expect(plan.setup_places.empty() || plan.setup_places.size() == plan.setup.size(), "setup_places",
                "is not as long as setup");
}

void describe_limits(auto& fields, auto& plan) {
  fields.field("interface", plan.interface);
  fields.field("process_manager", plan.process_manager,
               {ProcessManagerKind::none, ProcessManagerKind::pmi1, ProcessManagerKind::launcher});
  fields.field("rendezvous_timeout_seconds", plan.rendezvous_timeout);
  fields.field("time_limit_seconds", plan.time_limit);
  fields.field("stop_signal", plan.stop_signal);
  fields.expect(!plan.stop_signal || parse_signal(*plan.stop_signal), "stop_signal",
                "is '" + plan.stop_signal.value_or("") + "', which is not a signal");
  fields.field("stop_signal_for", plan.stop_signal_for,
               {StopSignalFor::all_ranks, StopSignalFor::heeding_ranks});
  fields.field("signal_lead_seconds", plan.signal_lead);
  fields.field("grace_period_seconds", plan.grace_period);
  fields.field("kill_wait_seconds", plan.kill_wait);
  fields.field("exit_timeout_seconds", plan.exit_timeout);
  fields.field("hang_timeout_seconds", plan.hang_timeout);
  fields.field("hang_answer", plan.hang_answer, {HangAnswer::restart, HangAnswer::tell});
  fields.expect(plan.hang_timeout != std::chrono::seconds(0), "hang_timeout_seconds", "is 0");
}

void describe_restarts(auto& fields, auto& plan) {
  fields.field("max_restarts", plan.max_restarts, 0);
  fields.field("fewer_nodes", plan.fewer_nodes);
  const bool fewer =
      std::ranges::is_sorted(plan.fewer_nodes) &&
      std::ranges::all_of(plan.fewer_nodes, [&](int count) { return count > 0 && count < plan.nodes; });
  fields.expect(fewer, "fewer_nodes", "is not an ascending list of numbers below `nodes`");
  fields.field("resumes", plan.resumes);
  fields.field("requeue", plan.requeue);
  fields.field("max_requeues", plan.max_requeues, 0);
}

void describe_notify(auto& fields, auto& plan) {
  fields.field("notify_command", plan.notify_command);
  fields.field("notify_events", plan.notify_events);
}

constexpr auto describe_plan = [](auto& fields, auto& plan) {
  describe_job(fields, plan);
  describe_program(fields, plan);
  describe_limits(fields, plan);
  describe_restarts(fields, plan);
  describe_notify(fields, plan);
  fields.optional_field("waits_milliseconds", plan.waits, RecordForm(parse_waits, "is refused"));
};

}  // namespace

std::string_view name_of(ProgramKind program) {
  return program == ProgramKind::trainer ? "trainer" : "command";
}

std::string_view name_of(StopSignalFor value) {
  return value == StopSignalFor::all_ranks ? "all_ranks" : "heeding_ranks";
}

std::string_view name_of(HangAnswer value) {
  return value == HangAnswer::restart ? "restart" : "tell";
}

std::string_view name_of(ProcessManagerKind value) {
  switch (value) {
    case ProcessManagerKind::pmi1:
      return "pmi1";
    case ProcessManagerKind::launcher:
      return "launcher";
    case ProcessManagerKind::none:
      break;
  }
  return "none";
}

std::chrono::milliseconds leave_time_for_records(std::chrono::milliseconds left) {
  constexpr std::chrono::milliseconds kRecords{10'000};
  return left - std::min(kRecords, left / 5);
}

std::chrono::milliseconds grace_of(const LaunchPlan& plan) {
  if (!plan.kill_wait) return plan.grace_period;
  return std::min<std::chrono::milliseconds>(plan.grace_period, leave_time_for_records(*plan.kill_wait));
}

RankLayout layout_of(const LaunchPlan& plan) {
  const auto nodes = static_cast<std::size_t>(plan.nodes);
  return RankLayout::make(std::vector<int>(nodes, plan.tasks_per_node)).value();
}

std::string checksum_of_spec(std::string_view text) {
  return std::to_string(crc32c(std::as_bytes(std::span(text))));
}

nlohmann::json to_json(const LaunchPlan& plan) {
  return write_object(kPlanSchema, plan, describe_plan);
}

Expected<LaunchPlan> parse_launch_plan(const nlohmann::json& json) {
  return read_object<LaunchPlan>({json, "launch plan", kPlanSchema}, ExitCode::config_invalid, describe_plan);
}

}  // namespace ddp
