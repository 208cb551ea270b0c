#include "cli/launch/preflight/check_run.hpp"

#include <algorithm>

#include "cli/launch/plan/programs.hpp"
#include "cli/launch/preflight/libtorch_check.hpp"
#include "cli/launch/preflight/missing_files.hpp"
#include "cli/launch/preflight/run_root.hpp"
#include "cli/launch/preflight/source_check.hpp"
#include "cli/launch/preflight/trainer_check.hpp"

namespace ddp::cli {
namespace {

/// What has been found of another point already is left out.
void append(Preflight more, Preflight& found) {
  const auto is_known = [&found](const Error& error) {
    return std::ranges::any_of(found.errors,
                               [&error](const Error& known) { return known.message == error.message; });
  };
  for (auto& error : more.errors) {
    if (!is_known(error)) found.errors.push_back(std::move(error));
  }
  for (auto& warning : more.warnings) {
    if (std::ranges::find(found.warnings, warning) == found.warnings.end())
      found.warnings.push_back(std::move(warning));
  }
}

/// Of one run, or of one point of a sweep.
Preflight preflight_one(const LaunchRequest& request, const PlanPaths& paths, const Launcher& launcher) {
  auto found = launcher.preflight(request);
  const auto missing = find_missing_programs(request.spec, paths, request.environment);
  found.errors.insert(found.errors.begin(), missing.begin(), missing.end());
  if (auto unfit = find_unfit_libtorch(request.spec, paths, request.environment))
    found.errors.push_back(std::move(*unfit));
  if (auto doubtful = find_doubtful_libtorch(request.spec, paths, request.environment))
    found.warnings.push_back(std::move(*doubtful));
  append(find_missing_files(request.spec, request.folder, paths.work_dir, request.environment), found);
  const auto exposed = find_exposed_programs(request.spec, paths);
  found.errors.insert(found.errors.end(), exposed.begin(), exposed.end());
  return found;
}

}  // namespace

Preflight preflight(const PreparedRun& run, const Launcher& launcher) {
  Preflight found;
  const auto& points = run.request.spec.points;
  if (points.empty()) found = preflight_one(run.request, run.paths, launcher);
  for (const RunSpec& point : points) {
    const LaunchRequest request{.spec = point,
                                .plan = run.request.plan,
                                .folder = run.request.folder,
                                .environment = run.request.environment,
                                .token = run.request.token};
    append(preflight_one(request, paths_of_point(point, run), launcher), found);
  }
  sort_errors(found.errors);
  return found;
}

Preflight preflight_with_libraries(const PreparedRun& run, const Launcher& launcher, CommandRunner& runner) {
  const auto& spec = run.request.spec;
  auto found = preflight(run, launcher);
  if (!find_unfit_libtorch(spec, run.paths, run.request.environment))
    append(find_unlinked_trainer(spec, run.paths, run.request.environment, runner), found);
  sort_errors(found.errors);
  return found;
}

tl::expected<std::vector<std::string>, Errors> check_run(const PreparedRun& run, Launcher& launcher,
                                                         const LauncherSeams& seams) {
  const auto& spec = run.request.spec;
  auto found = preflight_with_libraries(run, launcher, seams.system.runner);
  if (const auto secrets = collect_secrets(spec.environment, seams.submitter); !secrets)
    found.errors.push_back(secrets.error());
  append(check_by_trainer(spec, run.paths, run.request.environment, seams.system.runner), found);
  append(check_source(spec, run.request.folder, run.request.plan.submit_dir, seams), found);
  auto root = judge_run_root(spec, seams.system.host.probe(spec.run_root));
  if (root.error) found.errors.push_back(std::move(*root.error));
  std::ranges::move(root.warnings, std::back_inserter(found.warnings));
  append(launcher.check(run.request), found);
  sort_errors(found.errors);
  if (!found.errors.empty()) return tl::unexpected(std::move(found.errors));
  return std::move(found.warnings);
}

}  // namespace ddp::cli
