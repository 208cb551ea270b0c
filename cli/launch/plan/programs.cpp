#include "cli/launch/plan/programs.hpp"

#include <unistd.h>

#include <optional>
#include <vector>

#include "cli/launch/plan/libtorch.hpp"
#include "cli/launch/plan/program_libraries.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/record/files/trusted_path.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";

struct NeededProgram {
  std::string program;  ///< a name for PATH, or a path
  std::string key;      ///< that names it; empty: none
  std::string hint;     ///< when it is not there
};

std::optional<Error> find_missing(const NeededProgram& needed, const RunSpec& spec,
                                  const EnvMap& environment) {
  const auto found = resolve_program(needed.program, environment);
  if (found) return std::nullopt;
  return Error{ExitCode::preflight_failed, found.error().message, needed.hint, spec.origins.mark(needed.key)};
}

/// Lines of `setup` and variables under `set` may change where programs are found.
bool can_foresee_path(const RunSpec& spec) {
  return spec.launcher->ranks_run == RanksRun::here && spec.environment.setup.empty() &&
         !spec.environment.set.contains("PATH");
}

/// Installed packages have a ddptrain for each minor version of torch: libexec/ddpsubmit/torch-2.11/ddptrain.
fs::path trainers_folder(const fs::path& own_folder) {
  return own_folder.parent_path() / "libexec" / "ddpsubmit";
}

constexpr std::string_view kOfTorch = "torch-";

/// The versions of torch that `program` is installed for, in ascending order.
std::vector<std::string> trainer_versions(const fs::path& own_folder, const std::string& program) {
  std::vector<std::string> versions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(trainers_folder(own_folder), error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kOfTorch) && access((entry.path() / program).c_str(), X_OK) == 0)
      versions.push_back(name.substr(kOfTorch.size()));
  }
  // 2.9 before 2.11: the shorter number is the lower one.
  std::ranges::sort(versions, {},
                    [](const std::string& version) { return std::pair(version.size(), version); });
  return versions;
}

/// That for `torch`; else the newest, about which the preflight says what it lacks. Empty: none is installed.
fs::path installed_trainer(const fs::path& own_folder, const std::string& program, const std::string& torch) {
  const auto versions = trainer_versions(own_folder, program);
  if (versions.empty()) return {};
  const auto fitting = std::ranges::find(versions, torch);
  const std::string& version = fitting != versions.end() ? *fitting : versions.back();
  return trainers_folder(own_folder) / (std::string(kOfTorch) + version) / program;
}

std::optional<LibTorch> libtorch_of(const RunSpec& spec) {
  return spec.train && spec.train->libtorch ? look_for_libtorch(*spec.train->libtorch) : std::nullopt;
}

std::string command_program(const std::string& word, const std::string& work_dir) {
  const bool relative = word.find('/') != std::string::npos && !word.starts_with('/');
  return relative ? work_dir + "/" + word : word;
}

std::vector<NeededProgram> needed_programs(const RunSpec& spec, const PlanPaths& paths) {
  std::vector<NeededProgram> needed{
      {paths.agent, "", "ddp-agent belongs beside ddpsubmit: install or build both"}};
  if (spec.train) {
    needed.push_back(
        {paths.trainer, "train.program", "ddptrain belongs beside ddpsubmit; train.program names another"});
  } else if (can_foresee_path(spec)) {
    needed.push_back({command_program(spec.command.at(0), paths.work_dir), "command",
                      "check the first word of 'command:'"});
  }
  return needed;
}

}  // namespace

std::string locate_trainer(const std::string& program, const fs::path& own_folder, const fs::path& work_dir,
                           const EnvMap& environment, const std::string& torch) {
  if (program.find('/') != std::string::npos) return (work_dir / program).lexically_normal();
  const auto beside = own_folder / program;
  if (access(beside.c_str(), X_OK) == 0) return beside;
  if (const auto installed = installed_trainer(own_folder, program, torch); !installed.empty())
    return installed;
  const auto in_path = resolve_program(program, environment);
  return in_path ? fs::absolute(*in_path) : beside;
}

PlanPaths locate_programs(const RunSpec& spec, const fs::path& own_folder, const fs::path& work_dir,
                          const EnvMap& environment) {
  PlanPaths paths;
  paths.agent = own_folder / "ddp-agent";
  paths.work_dir = work_dir;
  if (!spec.train) return paths;
  const auto libtorch = libtorch_of(spec);
  paths.trainer = locate_trainer(spec.train->program, own_folder, work_dir, environment,
                                 libtorch ? libtorch->minor_version() : "");
  if (libtorch) paths.libraries = libtorch->folder / "lib";
  return paths;
}

PlanPaths locate_trainer_here(const RunSpec* spec, const fs::path& own_folder, const fs::path& work_dir,
                              const EnvMap& environment) {
  RunSpec training = spec != nullptr ? *spec : RunSpec{};
  if (!training.train) training.train.emplace();
  resolve_libtorch(training, own_folder, environment);
  return locate_programs(training, own_folder, work_dir, environment);
}

EnvMap with_libraries(EnvMap environment, const std::string& folder) {
  if (folder.empty()) return environment;
  const auto known = environment.get(kLibraryPath).value_or("");
  environment.set(kLibraryPath, folder + (known.empty() ? "" : ":" + known));
  return environment;
}

std::optional<Error> find_unfit_libtorch(const RunSpec& spec, const PlanPaths& paths) {
  if (!spec.train || !spec.train->libtorch) return std::nullopt;
  const auto where = spec.origins.mark("train.libtorch");
  const auto libtorch = libtorch_of(spec);
  if (!libtorch) {
    return Error{ExitCode::preflight_failed, "'" + *spec.train->libtorch + "' has no lib/libtorch_cpu.so",
                 "name the folder of a LibTorch, such as site-packages/torch of a Python environment", where};
  }
  if (const auto unsafe = libtorch->folder.string().find_first_of(":;$"); unsafe != std::string::npos) {
    return Error{ExitCode::preflight_failed,
                 "'" + libtorch->folder.string() + "' cannot be a path of libraries: it has a '" +
                     libtorch->folder.string()[unsafe] + "'",
                 "name a folder without ':', ';' and '$'", where};
  }
  const auto own_folder = fs::path(paths.agent).parent_path();
  const fs::path folder = fs::path(paths.trainer).parent_path();
  const bool is_installed = folder.parent_path() == trainers_folder(own_folder);
  if (!is_installed || libtorch->version.empty() ||
      folder.filename() == std::string(kOfTorch) + libtorch->minor_version())
    return std::nullopt;
  const auto versions = trainer_versions(own_folder, spec.train->program);
  return Error{ExitCode::preflight_failed,
               "'" + libtorch->folder.string() + "' is torch " + libtorch->version +
                   ", and this installation has a ddptrain for torch " + join_words(versions, " and "),
               "install torch " + versions.back() + " (pip install 'torch==" + versions.back() +
                   ".*'), or name the folder of another LibTorch with train.libtorch",
               where};
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
  const std::string library = paths.libraries.empty() ? "" : paths.libraries + "/libtorch_cpu.so";
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

Preflight find_unlinked_trainer(const RunSpec& spec, const PlanPaths& paths, const EnvMap& environment,
                                CommandRunner& runner) {
  const bool foreseen = spec.environment.setup.empty() && !has_setup_of_launcher(spec) &&
                        !spec.environment.set.contains(kLibraryPath);
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
       "name a LibTorch with train.libtorch, set LD_LIBRARY_PATH under environment.set, or load a module in "
       "environment.setup",
       spec.origins.mark("train.program")});
  return found;
}

}  // namespace ddp::cli
