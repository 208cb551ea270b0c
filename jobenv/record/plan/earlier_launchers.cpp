#include "jobenv/record/plan/launcher_traits.hpp"

namespace ddp {

// What ddp-agent knew by name before plans had traits: jobs that were queued before an upgrade are still as
// they were planned. What these launchers do stays as it is here; a trait that is added later is filled in.
std::optional<LauncherTraits> traits_of_earlier_launcher(std::string_view name) {
  if (name == "local") return LauncherTraits{};
  if (name == "slurm")
    return LauncherTraits{.scheduler = "Slurm",
                          .requeue_command = "scontrol requeue",
                          .time_limit = TimeLimitBy::scheduler,
                          .setup = SetupPlace::batch_script,
                          .stop = StopReaches::everyone};
  if (name == "ssh")
    return LauncherTraits{.setup = SetupPlace::in_agents,
                          .stop = StopReaches::record,
                          .agents_started_by = AgentsStartedBy::submitter,
                          .agents_return = true,
                          .sees_end_of_agents = false,
                          .names_hosts = true};
  return std::nullopt;
}

}  // namespace ddp
