#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/commands/start/load_config.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/preflight/check_run.hpp"
#include "cli/launch/preflight/missing_files.hpp"
#include "cli/launch/preflight/source_check.hpp"
#include "cli/output/count_text.hpp"
#include "cli/spec/hang_rule.hpp"
#include "cli/spec/idle_keys.hpp"
#include "cli/spec/spec_warnings.hpp"
#include "jobenv/config/diagnostic.hpp"

namespace ddp::cli {
namespace {

Report report_valid(const RunSpec& spec, const std::string& file) {
  const auto& resources = spec.resources;
  return {.schema = "ddpsubmit.validate.v1",
          .value = {{"valid", true},
                    {"name", spec.name},
                    {"launcher", spec.launcher->name},
                    {"nodes", resources.nodes},
                    {"tasks_per_node", resources.tasks_per_node},
                    {"hang_timeout", render_hang_rule(spec)},
                    {"points", spec.points.empty() ? nlohmann::json() : nlohmann::json(spec.points.size())}},
          .text = fmt::format("{} is valid: {} on {}, {} x {}{}\n{}\n", file, spec.name, spec.launcher->name,
                              render_count(static_cast<std::size_t>(resources.nodes), "node"),
                              render_count(static_cast<std::size_t>(resources.tasks_per_node), "rank"),
                              spec.points.empty() ? "" : ", " + render_count(spec.points.size(), "point"),
                              render_hang_rule(spec))};
}

/// A file, not only the user's own one, that has a key in the section of a launcher whose ranks run
/// elsewhere.
bool has_section_of(const LauncherRow& launcher, const RunSpec& spec) {
  const auto section = std::string(launcher.name) + '.';
  return launcher.ranks_run != RanksRun::here &&
         std::ranges::any_of(spec.origins.by_path, [&](const auto& origin) {
           return origin.first.starts_with(section) && origin.second.source->origin != Origin::user_file;
         });
}

/// The launcher that a file without `launcher:` is for, by its sections; nullptr: it names one, or has none.
const LauncherRow* find_intended_launcher(const RunSpec& spec) {
  if (spec.origins.mark("launcher")) return nullptr;
  const auto launchers = all_launchers();
  const auto found =
      std::ranges::find_if(launchers, [&](const auto* row) { return has_section_of(*row, spec); });
  return found == launchers.end() ? nullptr : *found;
}

/// What this machine lacks does not matter where another one is meant.
std::vector<std::string> tell_as_warnings(const Errors& errors, const LauncherRow& intended) {
  std::vector<std::string> warnings;
  for (const auto& error : errors)
    warnings.push_back((error.where ? render_place(*error.where) + ": " : "") + error.message);
  const std::string name(intended.name);
  warnings.push_back(
      "no launcher is named, so 'run' would start it on this machine; the file has a section '" + name +
      "': add launcher=" + name + " to check and run it there");
  return warnings;
}

/// What `run` would find to be missing on this machine, but for secrets: whoever submits has them. A cluster
/// is not asked: `validate` works without one.
tl::expected<std::vector<std::string>, Errors> check_machine(const RunSpec& spec, Context& context) {
  const auto launcher = make_launcher(spec.launcher->name, context.seams());
  if (!launcher) return refuse(launcher.error());
  auto place = place_of(choose_folder(spec, context.system.clock.now()), context);
  const auto run = prepare_run(spec, std::move(place), **launcher, {});
  if (!run) return refuse(run.error());
  if (spec.launcher->ranks_run != RanksRun::here) {
    if (auto found = (*launcher)->preflight(run->request); !found.errors.empty())
      return tl::unexpected(std::move(found.errors));
    return warn_of_missing_files(spec, run->request.folder, context.current_folder, context.environment);
  }
  auto found = preflight_with_libraries(*run, **launcher, context.system.runner);
  if (found.errors.empty()) return std::move(found.warnings);
  const auto* intended = find_intended_launcher(spec);
  if (intended == nullptr) return tl::unexpected(std::move(found.errors));
  std::ranges::move(tell_as_warnings(found.errors, *intended), std::back_inserter(found.warnings));
  return std::move(found.warnings);
}

Outcome validate(const Arguments& arguments, Context& context) {
  const auto spec = load_config(arguments, context);
  if (!spec) return tl::unexpected(spec.error());
  say_warnings(find_idle_keys(*spec), context.reporter);
  say_warnings(warn_of_spec(*spec), context.reporter);
  for (const auto& advice : advise_on_spec(*spec)) context.reporter.note(advice);
  const auto warnings = check_machine(*spec, context);
  if (!warnings) return tl::unexpected(warnings.error());
  say_warnings(*warnings, context.reporter);
  auto source = check_source(*spec, choose_folder(*spec, context.system.clock.now()), context.current_folder,
                             context.seams());
  if (!source.errors.empty()) return tl::unexpected(std::move(source.errors));
  say_warnings(source.warnings, context.reporter);
  context.reporter.answer(report_valid(*spec, *arguments.one(kConfigOperand.name)));
  return ExitCode::ok;
}

}  // namespace

Command validate_command() {
  return {
      .name = "validate",
      .summary =
          "Check a configuration; exit 3 if it is not valid, 10 if this machine lacks what a local run needs",
      .operands = {kConfigOperand, kOverridesOperand},
      .options = {},
      .description =
          "All errors of the configuration are printed at once, each with its place. Nothing is started. "
          "A cluster is not asked: `ddpsubmit run` does that before it submits.",
      .examples = {{"validate train.yaml", "show all errors at once"},
                   {"validate train.yaml launcher=slurm", "check it for a run on Slurm"}},
      .run = validate};
}

}  // namespace ddp::cli
