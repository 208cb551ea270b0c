#include "cli/launch/preflight/libtorch_check.hpp"

#include "cli/launch/plan/install_line.hpp"
#include "cli/launch/plan/libtorch.hpp"
#include "cli/launch/plan/trainer_path.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

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
  const fs::path fitting = trainer_folder(own_folder, libtorch->minor_version());
  const bool is_installed = folder.parent_path() == fitting.parent_path();
  if (!is_installed || libtorch->version.empty() || folder == fitting) return std::nullopt;
  const auto versions = trainer_versions(own_folder, spec.train->program);
  return Error{ExitCode::preflight_failed,
               "'" + libtorch->folder.string() + "' is torch " + libtorch->version +
                   ", and this installation has a ddptrain for torch " + join_words(versions, " and "),
               "install torch " + versions.back() + " (" + install_line_of_torch(versions.back()) +
                   "), or name the folder of one that fits with train.libtorch",
               where};
}

}  // namespace ddp::cli
