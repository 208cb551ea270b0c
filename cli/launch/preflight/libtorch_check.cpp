#include "cli/launch/preflight/libtorch_check.hpp"

#include "cli/launch/plan/install_line.hpp"
#include "cli/launch/plan/libtorch.hpp"
#include "cli/launch/plan/trainer_path.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// An error when no ddptrain of this installation is built for the version of `libtorch`.
std::optional<Error> find_unfit_version(const RunSpec& spec, const PlanPaths& paths, const LibTorch& libtorch,
                                        std::optional<SourceMark> where) {
  const auto own_folder = fs::path(paths.agent).parent_path();
  const fs::path folder = fs::path(paths.trainer).parent_path();
  const fs::path fitting = trainer_folder(own_folder, libtorch.version);
  const bool is_installed = folder.parent_path() == fitting.parent_path();
  if (!is_installed || libtorch.version.empty() || folder == fitting) return std::nullopt;
  const auto versions = trainer_versions(own_folder, spec.train->program);
  return Error{ExitCode::preflight_failed,
               "'" + libtorch.folder.string() + "' is torch " + libtorch.version +
                   ", and this installation has a ddptrain for torch " + join_words(versions, " and "),
               "install torch " + versions.back() + " (" + install_line_of_torch(versions.back()) +
                   "), or name the folder of one that fits with train.libtorch",
               std::move(where)};
}

/// Which torch set-up lines lead to is not known here.
std::optional<Error> find_unfit_path(const RunSpec& spec, const PlanPaths& paths, const EnvMap& environment) {
  const auto libtorch = libtorch_in_library_path(spec, environment);
  if (!libtorch || has_setup(spec)) return std::nullopt;
  auto error =
      find_unfit_version(spec, paths, *libtorch, spec.origins.mark("environment.set.LD_LIBRARY_PATH"));
  if (error) error->message = "LD_LIBRARY_PATH leads to a torch that does not fit: " + error->message;
  return error;
}

}  // namespace

std::optional<Error> find_unfit_libtorch(const RunSpec& spec, const PlanPaths& paths,
                                         const EnvMap& environment) {
  if (!spec.train) return std::nullopt;
  if (!spec.train->libtorch) return find_unfit_path(spec, paths, environment);
  const auto where = spec.origins.mark("train.libtorch");
  const auto libtorch = libtorch_of(spec, environment);
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
  return find_unfit_version(spec, paths, *libtorch, where);
}

}  // namespace ddp::cli
