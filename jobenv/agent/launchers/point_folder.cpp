#include "jobenv/agent/launchers/point_folder.hpp"

#include "jobenv/agent/launchers/agent_launcher.hpp"
#include "jobenv/record/plan/plan_file.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
namespace {

/// As the plan of the first point has it; where that cannot be read, the one whose jobs can hold several
/// points.
const AgentLauncher* find_launcher_of_sweep(const RunFolder& sweep) {
  const auto plan = load_plan(sweep.point_folder(0));
  if (plan) return find_agent_launcher(*plan).value_or(nullptr);
  for (const auto* launcher : all_agent_launchers()) {
    if (launcher->find_point != nullptr) return launcher;
  }
  return nullptr;
}

}  // namespace

Expected<std::filesystem::path> resolve_point_folder(const std::filesystem::path& run_dir,
                                                     const EnvMap& environment) {
  const RunFolder folder(run_dir);
  std::error_code error;
  if (!std::filesystem::exists(folder.sweep_record(), error)) return run_dir;
  const auto* launcher = find_launcher_of_sweep(folder);
  if (launcher == nullptr || launcher->find_point == nullptr)
    return fail(ExitCode::config_invalid,
                "this is the folder of a sweep; head needs the folder of one of its points");
  return launcher->find_point(environment).map([&](int point) { return folder.point_folder(point).root(); });
}

}  // namespace ddp::agent
