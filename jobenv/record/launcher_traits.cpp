#include "jobenv/record/launcher_traits.hpp"

namespace ddp {
namespace {

constexpr const char* kTraitsSchema = "ddpsubmit.launcher_traits.v1";

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
  return {{"schema", kTraitsSchema},
          {"scheduler", traits.scheduler},
          {"time_limit", name_of(traits.time_limit)},
          {"setup", name_of(traits.setup)},
          {"stop", name_of(traits.stop)},
          {"agents_started_by", name_of(traits.agents_started_by)},
          {"agents_return", traits.agents_return},
          {"sees_end_of_agents", traits.sees_end_of_agents},
          {"names_hosts", traits.names_hosts}};
}

Expected<LauncherTraits> parse_launcher_traits(const nlohmann::json& json) {
  LauncherTraits traits;
  JsonFields fields(json, "launcher traits", kTraitsSchema);
  fields.read("scheduler", traits.scheduler);
  fields.read("time_limit", traits.time_limit, {TimeLimitBy::head, TimeLimitBy::scheduler});
  fields.read("setup", traits.setup,
              {SetupPlace::batch_script, SetupPlace::before_agents, SetupPlace::in_agents});
  fields.read("stop", traits.stop, {StopReaches::head, StopReaches::everyone, StopReaches::record});
  fields.read("agents_started_by", traits.agents_started_by,
              {AgentsStartedBy::head, AgentsStartedBy::submitter});
  fields.read("agents_return", traits.agents_return);
  fields.read("sees_end_of_agents", traits.sees_end_of_agents);
  fields.read("names_hosts", traits.names_hosts);
  if (auto problem = fields.problem(ExitCode::config_invalid)) return tl::unexpected(std::move(*problem));
  return traits;
}

}  // namespace ddp
