#include "cli/launch/programs.hpp"

#include <unistd.h>

#include "cli/system/command_runner.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

std::string locate_trainer(const std::string& program, const fs::path& own_folder, const fs::path& work_dir,
                           const EnvMap& environment) {
  if (program.find('/') != std::string::npos) return (work_dir / program).lexically_normal();
  const auto beside = own_folder / program;
  if (access(beside.c_str(), X_OK) == 0) return beside;
  const auto in_path = resolve_program(program, environment);
  return in_path ? fs::absolute(*in_path) : beside;
}

Expected<void> check_program(const std::string& program, const EnvMap& environment, const std::string& hint) {
  const auto found = resolve_program(program, environment);
  if (found) return {};
  return fail(ExitCode::preflight_failed, found.error().message, hint);
}

/// Lines of `setup` and variables under `set` may change where programs are found.
bool can_foresee_path(const RunSpec& spec) {
  return spec.launcher == LauncherKind::local && spec.environment.setup.empty() &&
         !spec.environment.set.contains("PATH");
}

}  // namespace

PlanPaths locate_programs(const RunSpec& spec, const fs::path& own_folder, const fs::path& work_dir,
                          const EnvMap& environment) {
  PlanPaths paths;
  paths.agent = own_folder / "ddp-agent";
  paths.work_dir = work_dir;
  if (spec.train) paths.trainer = locate_trainer(spec.train->program, own_folder, work_dir, environment);
  return paths;
}

Expected<void> check_programs(const RunSpec& spec, const PlanPaths& paths, const EnvMap& environment) {
  const auto agent =
      check_program(paths.agent, environment, "ddp-agent belongs beside ddpsubmit: install or build both");
  if (!agent) return agent;
  if (spec.train)
    return check_program(paths.trainer, environment,
                         "ddptrain belongs beside ddpsubmit; train.program names another");
  if (!can_foresee_path(spec)) return {};
  const bool relative =
      spec.command.at(0).find('/') != std::string::npos && !spec.command[0].starts_with('/');
  const auto program = relative ? paths.work_dir + "/" + spec.command[0] : spec.command[0];
  return check_program(program, environment, "check the first word of 'command:'");
}

}  // namespace ddp::cli
