#include "cli/launch/preflight/libtorch_check.hpp"

#include "cli/launch/plan/install_line.hpp"
#include "cli/launch/plan/libtorch.hpp"
#include "cli/launch/plan/trainer_path.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// The version that the trainer is built for. Empty: not known.
std::string torch_wanted_by(const fs::path& trainer) {
  auto installed_for = torch_of_trainer(trainer);
  if (!installed_for.empty()) return installed_for;
  const auto built_with = look_for_libtorch(trainer.parent_path() / "libtorch");
  return built_with ? built_with->version : "";
}

/// Those that an installation has a ddptrain for, or that of a build of the source.
std::string all_torches_wanted(const RunSpec& spec, const PlanPaths& paths) {
  const auto versions = trainer_versions(fs::path(paths.agent).parent_path(), spec.train->program);
  return torch_of_trainer(paths.trainer).empty() ? torch_wanted_by(paths.trainer)
                                                 : join_words(versions, " and ");
}

std::optional<Error> find_unfit_version(const RunSpec& spec, const PlanPaths& paths,
                                        const LibTorch& libtorch) {
  const auto wanted = torch_wanted_by(paths.trainer);
  if (wanted.empty() || libtorch.version.empty() || libtorch.version == wanted) return std::nullopt;
  return Error{ExitCode::preflight_failed,
               "'" + libtorch.folder.string() + "' is torch " + libtorch.version +
                   ", and this installation has a ddptrain for torch " + all_torches_wanted(spec, paths),
               "install torch " + wanted + " (" + install_line_of_torch(wanted) +
                   "), or name the folder of one that fits with train.libtorch",
               spec.origins.mark("train.libtorch")};
}

/// Which torch set-up lines lead to is not known here, nor what lies on hosts that do not share the folder.
std::optional<Error> find_unfit_path(const RunSpec& spec, const PlanPaths& paths, const EnvMap& environment) {
  if (has_setup(spec) || !shares_folder(spec)) return std::nullopt;
  const auto libtorch = libtorch_in_library_path(spec, environment);
  if (!libtorch) return std::nullopt;
  auto error = find_unfit_version(spec, paths, *libtorch);
  if (!error) return std::nullopt;
  error->message = "LD_LIBRARY_PATH leads to a torch that does not fit: " + error->message;
  error->hint = "take that folder out of LD_LIBRARY_PATH, or name one that fits with train.libtorch";
  error->where = spec.origins.mark("environment.set.LD_LIBRARY_PATH");
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
  if (const auto unsafe = find_unsafe_character(libtorch->folder)) {
    return Error{ExitCode::preflight_failed,
                 "'" + libtorch->folder.string() + "' cannot be a path of libraries: it has a '" +
                     std::string(1, *unsafe) + "'",
                 "name a folder without ':', ';' and '$'", where};
  }
  return find_unfit_version(spec, paths, *libtorch);
}

std::optional<std::string> find_doubtful_libtorch(const RunSpec& spec, const PlanPaths& paths,
                                                  const EnvMap& environment) {
  if (!spec.train || spec.train->libtorch || !has_setup(spec) || !shares_folder(spec)) return std::nullopt;
  const auto libtorch = libtorch_of(spec, environment);
  const auto error = libtorch ? find_unfit_version(spec, paths, *libtorch) : std::nullopt;
  if (!error) return std::nullopt;
  const auto source =
      spec.spare_libtorch.empty() ? "LD_LIBRARY_PATH" : spec.origins.by_path.at("train.libtorch").describe();
  return source + " leads to a torch that does not fit: " + error->message +
         "; ranks load it unless set-up lines put another on LD_LIBRARY_PATH; train.libtorch names one that "
         "fits";
}

}  // namespace ddp::cli
