#include "jobenv/record/plan/launcher_traits.hpp"

#include "jobenv/record/fields/described_object.hpp"

namespace ddp {
namespace {

constexpr const char* kTraitsSchema = "ddpsubmit.launcher_traits.v1";

constexpr auto describe_traits = [](auto& fields, auto& traits) {
  fields.field("scheduler", traits.scheduler);
  fields.field("requeue_command", traits.requeue_command);
  fields.field("time_limit", traits.time_limit, {TimeLimitBy::head, TimeLimitBy::scheduler});
  fields.field("setup", traits.setup,
               {SetupPlace::batch_script, SetupPlace::before_agents, SetupPlace::in_agents});
  fields.field("stop", traits.stop, {StopReaches::head, StopReaches::everyone, StopReaches::record});
  fields.field("agents_started_by", traits.agents_started_by,
               {AgentsStartedBy::head, AgentsStartedBy::submitter});
  fields.field("agents_return", traits.agents_return);
  fields.field("sees_end_of_agents", traits.sees_end_of_agents);
  fields.field("names_hosts", traits.names_hosts);
};

}  // namespace

std::string_view name_of(TimeLimitBy value) {
  return value == TimeLimitBy::head ? "head" : "scheduler";
}

std::string_view name_of(SetupPlace value) {
  switch (value) {
    case SetupPlace::batch_script:
      return "batch_script";
    case SetupPlace::before_agents:
      return "before_agents";
    case SetupPlace::in_agents:
      return "in_agents";
  }
  return "";
}

std::string_view name_of(StopReaches value) {
  switch (value) {
    case StopReaches::head:
      return "head";
    case StopReaches::everyone:
      return "everyone";
    case StopReaches::record:
      return "record";
  }
  return "";
}

std::string_view name_of(AgentsStartedBy value) {
  return value == AgentsStartedBy::head ? "head" : "submitter";
}

nlohmann::json to_json(const LauncherTraits& traits) {
  return write_object(kTraitsSchema, traits, describe_traits);
}

Expected<LauncherTraits> parse_launcher_traits(const nlohmann::json& json) {
  return read_object<LauncherTraits>({json, "launcher traits", kTraitsSchema}, ExitCode::config_invalid,
                                     describe_traits);
}

}  // namespace ddp
