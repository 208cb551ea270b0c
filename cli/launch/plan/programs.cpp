#include "cli/launch/plan/programs.hpp"

#include <unistd.h>

#include <optional>
#include <vector>

#include "cli/launch/plan/install_line.hpp"
#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launch/plan/libtorch.hpp"
#include "cli/launch/plan/program_libraries.hpp"
#include "cli/launch/plan/trainer_path.hpp"
#include "cli/spec/command_args.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/record/files/trusted_path.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

struct NeededProgram {
  std::string program;  ///< a name for PATH, or a path
  std::string key;      ///< that names it, or whose first word does; empty: none
  std::string hint;     ///< when it is not there
};

/// Of a file that is there, but must not be run.
std::string hint_to_make_executable(const std::string& name) {
  return "make it executable: chmod +x " + name +
         (name.ends_with(".py") ? "; or write: command: [python3, " + name + "]" : "");
}

std::optional<Error> find_missing(const NeededProgram& needed, const RunSpec& spec,
                                  const EnvMap& environment) {
  const auto found = resolve_program(needed.program, environment);
  if (found) return std::nullopt;
  std::error_code unknown;
  const bool is_file = needed.key == "command" && needed.program.find('/') != std::string::npos &&
                       fs::is_regular_file(needed.program, unknown);
  return Error{ExitCode::preflight_failed, found.error().message,
               is_file ? hint_to_make_executable(command_of(spec).at(0)) : needed.hint,
               spec.origins.mark_item(needed.key, 0)};
}

/// Lines of `setup` and variables under `set` may change where programs are found.
bool can_foresee_path(const RunSpec& spec) {
  return spec.launcher->ranks_run == RanksRun::here && spec.environment.setup.empty() &&
         !spec.environment.set.contains("PATH");
}

std::string command_program(const std::string& word, const std::string& work_dir) {
  const bool relative = word.find('/') != std::string::npos && !word.starts_with('/');
  return relative ? work_dir + "/" + word : word;
}

std::string hint_for_trainer(const std::string& program) {
  if (program != trainer::TrainConfig{}.program)
    return "check train.program: a program that is built on ddp::trainer";
  return "install ddptrain: " + std::string(kInstallLine) +
         "; or name a trainer of your own with train.program";
}

std::vector<NeededProgram> needed_programs(const RunSpec& spec, const PlanPaths& paths) {
  std::vector<NeededProgram> needed{
      {paths.agent, "", "ddp-agent belongs beside ddpsubmit: install or build both"}};
  if (spec.train) {
    needed.push_back({paths.trainer, "train.program", hint_for_trainer(spec.train->program)});
  } else if (can_foresee_path(spec)) {
    needed.push_back({command_program(command_of(spec).at(0), paths.work_dir), "command",
                      "check the first word of 'command:'"});
  }
  if (!spec.notify.command.empty() && can_foresee_path(spec))
    needed.push_back({command_program(spec.notify.command.front(), paths.work_dir), "notify.command",
                      "check the first word of 'notify.command'"});
  return needed;
}

}  // namespace

PlanPaths locate_programs(const RunSpec& spec, const fs::path& own_folder, const fs::path& work_dir,
                          const EnvMap& environment) {
  PlanPaths paths;
  paths.agent = own_folder / "ddp-agent";
  paths.work_dir = work_dir;
  if (!spec.train) return paths;
  const auto libtorch = libtorch_of(spec, environment);
  paths.trainer = locate_trainer(spec.train->program, own_folder, work_dir, environment,
                                 libtorch ? libtorch->version : "");
  if (libtorch && spec.train->libtorch) paths.libraries.first = libtorch->folder / "lib";
  if (libtorch && !spec.spare_libtorch.empty()) paths.libraries.spare = libtorch->folder / "lib";
  return paths;
}

TrainingHere find_training_here(const RunSpec* spec, const fs::path& own_folder, const fs::path& work_dir,
                                const EnvMap& submitter) {
  TrainingHere here{.spec = spec != nullptr ? *spec : RunSpec{}, .environment = {}, .paths = {}};
  if (!here.spec.train) here.spec.train.emplace();
  resolve_libtorch(here.spec, own_folder, submitter);
  const auto job = job_base_environment(submitter, here.spec.environment, *here.spec.launcher).environment;
  here.paths = locate_programs(here.spec, own_folder, work_dir, job);
  here.environment = with_libraries(job.patched(EnvMap(here.spec.environment.set)), here.paths.libraries);
  return here;
}

Errors find_missing_programs(const RunSpec& spec, const PlanPaths& paths, const EnvMap& environment) {
  Errors errors;
  for (const auto& needed : needed_programs(spec, paths)) {
    if (auto error = find_missing(needed, spec, environment)) errors.push_back(std::move(*error));
  }
  return errors;
}

Errors find_exposed_programs(const RunSpec& spec, const PlanPaths& paths) {
  Errors errors;
  const std::string& folder = paths.libraries.first;
  const std::string library = folder.empty() ? "" : folder + "/libtorch_cpu.so";
  for (const auto& [program, key] : {std::pair{paths.agent, ""}, std::pair{paths.trainer, "train.program"},
                                     std::pair{library, "train.libtorch"}}) {
    if (program.empty()) continue;
    const auto followed = follow_path(program, Way::shared);
    if (followed) continue;
    errors.push_back(followed.error().context("'" + program + "'"));
    errors.back().where = spec.origins.mark(key);
  }
  return errors;
}

std::string advise_on_libraries(const std::string& trainer) {
  const std::string torch = torch_of_trainer(trainer);
  if (torch.empty())
    return "name the folder of a LibTorch with train.libtorch, set LD_LIBRARY_PATH under environment.set, or "
           "load a module in environment.setup";
  const auto prefix = fs::path(trainer).parent_path().parent_path().parent_path().parent_path();
  return "torch " + torch + " was looked for in " + prefix.string() +
         ", VIRTUAL_ENV, CONDA_PREFIX and LD_LIBRARY_PATH; if Python imports it, add "
         R"x(train.libtorch="$(python3 -c 'import torch; print(torch.__path__[0])')")x"
         "; otherwise: " +
         install_line_of_torch(torch);
}

Preflight find_unlinked_trainer(const RunSpec& spec, const PlanPaths& paths, const EnvMap& environment,
                                CommandRunner& runner) {
  const bool foreseen = !has_setup(spec) && !spec.environment.set.contains(kLibraryPath);
  if (!spec.train || !foreseen) return {};
  const auto missing =
      find_missing_libraries(paths.trainer, with_libraries(environment, paths.libraries), runner);
  Preflight found;
  if (!missing.unknown_loader.empty()) {
    found.warnings.push_back("whether '" + paths.trainer +
                             "' finds its libraries was not tried: its loader " + missing.unknown_loader +
                             " is not known");
  }
  if (missing.names.empty()) return found;
  found.errors.push_back(
      {ExitCode::preflight_failed,
       "'" + paths.trainer + "' would not start: it does not find " + join_words(missing.names, " and "),
       advise_on_libraries(paths.trainer), spec.origins.mark("train.program")});
  return found;
}

}  // namespace ddp::cli
