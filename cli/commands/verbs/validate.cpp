#include <fmt/format.h>

#include "cli/commands/start/load_config.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/preflight/check_run.hpp"
#include "cli/spec/hang_rule.hpp"
#include "cli/spec/idle_keys.hpp"
#include "cli/spec/spec_warnings.hpp"

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
          .text = fmt::format("{} is valid: {} on {}, {} x {} ranks{}\n{}\n", file, spec.name,
                              spec.launcher->name, resources.nodes, resources.tasks_per_node,
                              spec.points.empty() ? "" : fmt::format(", {} points", spec.points.size()),
                              render_hang_rule(spec))};
}

/// What `run` would find to be missing on this machine, but for secrets: whoever submits has them. A cluster
/// is not asked: `validate` works without one.
tl::expected<std::vector<std::string>, Errors> check_machine(const RunSpec& spec, Context& context) {
  if (spec.launcher->ranks_run != RanksRun::here) return {};
  const auto launcher = make_launcher(spec.launcher->name, context.seams());
  if (!launcher) return refuse(launcher.error());
  auto place = place_of(choose_folder(spec, context.system.clock.now()), context);
  const auto run = prepare_run(spec, std::move(place), **launcher, {});
  if (!run) return refuse(run.error());
  auto found = preflight(*run, **launcher);
  if (!found.errors.empty()) return tl::unexpected(std::move(found.errors));
  return std::move(found.warnings);
}

Outcome validate(const Arguments& arguments, Context& context) {
  const auto spec = load_config(arguments, context);
  if (!spec) return tl::unexpected(spec.error());
  say_warnings(find_idle_keys(*spec), context.reporter);
  say_warnings(warn_of_spec(*spec), context.reporter);
  const auto warnings = check_machine(*spec, context);
  if (!warnings) return tl::unexpected(warnings.error());
  say_warnings(*warnings, context.reporter);
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
      .examples = {{"validate train.yaml", "all its errors at once"},
                   {"validate train.yaml launcher=slurm", "as it would be on the cluster"}},
      .run = validate};
}

}  // namespace ddp::cli
