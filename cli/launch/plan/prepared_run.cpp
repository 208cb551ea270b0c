#include "cli/launch/plan/prepared_run.hpp"

#include <algorithm>
#include <numeric>

#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launch/plan/libtorch.hpp"
#include "cli/launch/plan/programs.hpp"
#include "cli/launch/plan/python_environment.hpp"
#include "cli/source/work_tree.hpp"
#include "cli/store/run_id.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "jobenv/config/config_node.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/last_slash.hpp"
#include "jobenv/record/plan/plan_file.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::cli {
namespace {

/// As if no limit of the launcher stood in the way.
SweepPart whole_sweep(const RunSpec& spec) {
  SweepPart part;
  part.tasks.resize(spec.points.size());
  std::iota(part.tasks.begin(), part.tasks.end(), 0);
  if (spec.sweep_options.at_once) part.at_once = static_cast<int>(*spec.sweep_options.at_once);
  return part;
}

/// Tests name the waits that they shorten; see Waits.
Expected<Waits> waits_of_tests(const EnvMap& submitter) {
  constexpr const char* kVariable = "DDPSUBMIT_TEST_WAITS";
  const auto text = submitter.get(kVariable);
  if (!text) return Waits{};
  auto waits = parse_waits(parse_json(*text));
  if (!waits) return tl::unexpected(waits.error().context(kVariable));
  return waits;
}

/// A host has the environment of its own logins: what is active here would be lost without a word. Set-up
/// lines and a PATH of the run say themselves what is meant.
void use_active_environment(const RunSpec& spec, const EnvMap& submitter, LaunchPlan& plan) {
  const bool has_path = spec.environment.set.contains("PATH") ||
                        std::ranges::find(spec.environment.pass, "PATH") != spec.environment.pass.end();
  if (spec.launcher->environment != EnvironmentOf::node || !plan.shared_folder || has_path) return;
  if (plan.program != ProgramKind::command || !plan.setup.empty()) return;
  const auto earlier = load_plan(RunFolder(plan.run_dir));
  if (earlier && std::filesystem::path(earlier->argv.front()).filename() == plan.argv.front()) {
    plan.argv.front() = earlier->argv.front();  // of the shell in which the run began
  } else if (const auto program = program_of_active_environment(plan.argv.front(), submitter)) {
    plan.argv.front() = program->string();
  }
}

/// Of a run that is started for the first time: the folder of the copy in which its ranks start.
std::filesystem::path work_dir_in_copy(const RunFolder& folder, const std::filesystem::path& work_dir) {
  return without_last_slash((folder.source_tree() / find_work_tree(work_dir).folder).lexically_normal());
}

}  // namespace

RunFolder choose_folder(const RunSpec& spec, std::chrono::system_clock::time_point now) {
  const auto id = make_run_id(spec.name, now, static_cast<std::uint32_t>(random_number()));
  return RunFolder(std::filesystem::path(spec.run_root) / id);
}

Expected<PreparedRun> prepare_run(RunSpec spec, RunPlace place, Launcher& launcher, std::string token) {
  auto base = job_base_environment(place.submitter, spec.environment, *spec.launcher);
  // On a node whose environment it is, its agent does that, to the path that is there.
  if (spec.launcher->environment == EnvironmentOf::submitter)
    append_to_path(base.environment, place.own_folder);
  resolve_libtorch(spec, place.own_folder, place.submitter);
  for (RunSpec& point : spec.points) resolve_libtorch(point, place.own_folder, place.submitter);
  auto paths = locate_programs(spec, place.own_folder, place.work_dir, base.environment);
  auto plan = make_launch_plan(spec, place.folder, paths);
  use_active_environment(spec, place.submitter, plan);
  auto waits = waits_of_tests(place.submitter);
  if (!waits) return tl::unexpected(waits.error());
  plan.waits = *waits;
  const bool is_first = place.submit_dir.empty();
  plan.submit_dir = is_first ? place.work_dir.string() : place.submit_dir;
  if (is_first && spec.keeps_snapshot()) plan.work_dir = work_dir_in_copy(place.folder, place.work_dir);
  base.environment.set(kSubmitDir, plan.submit_dir);
  PreparedRun run{.request = {.spec = std::move(spec),
                              .plan = std::move(plan),
                              .folder = std::move(place.folder),
                              .environment = std::move(base.environment),
                              .token = std::move(token)},
                  .paths = std::move(paths),
                  .script = std::nullopt,
                  .dropped = std::move(base.dropped)};
  if (!run.request.spec.points.empty()) run.request.part = whole_sweep(run.request.spec);
  if (const auto* queue = launcher.queue()) {
    auto script = queue->render_script(run.request);
    if (!script) return tl::unexpected(script.error());
    run.script = std::move(*script);
  }
  return run;
}

PlanPaths paths_of_point(const RunSpec& point, const PreparedRun& sweep) {
  return locate_programs(point, std::filesystem::path(sweep.paths.agent).parent_path(), sweep.paths.work_dir,
                         sweep.request.environment);
}

Expected<nlohmann::json> collect_secrets(const EnvironmentSpec& spec, const EnvMap& submitter) {
  nlohmann::json secrets = nlohmann::json::object();
  for (const auto& name : spec.secrets) {
    const auto value = submitter.get(name);
    if (!value) {
      return fail(ExitCode::config_invalid, "environment.secrets: '" + name + "' is not set",
                  "export it, then submit again");
    }
    secrets[name] = *value;
  }
  return secrets;
}

}  // namespace ddp::cli
