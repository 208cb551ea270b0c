#include "cli/commands/show_rendering.hpp"

#include <fmt/format.h>

#include "cli/commands/load_config.hpp"
#include "cli/launch/launchers.hpp"
#include "cli/launch/start_run.hpp"
#include "cli/script/shell_quote.hpp"

namespace ddp::cli {
namespace {

// A run that is only shown has no id of its own.
constexpr std::string_view kShownId = "-00000000";
constexpr std::string_view kShownToken = "0000000000000000";

std::string render_plan_text(const LaunchPlan& plan) {
  std::string text = fmt::format("{} x {} ranks on {}, in {}\n\n", plan.nodes, plan.tasks_per_node,
                                 plan.launcher == "local" ? "this machine" : plan.launcher, plan.work_dir);
  for (const auto& [name, value] : plan.set) text += fmt::format("{}={} \\\n", name, quote_for_shell(value));
  text += render_command_line(plan.argv) + "\n\nstarted by\n";
  text += render_command_line({plan.agent, "head", "--run-dir", plan.run_dir}) + '\n';
  return text;
}

}  // namespace

Outcome show_rendering(RunSpec spec, Context& context) {
  const auto launcher = make_launcher(to_string(spec.launcher), context.seams());
  if (!launcher) return refuse(launcher.error());
  RunFolder folder(std::filesystem::path(spec.run_root) / (spec.name + std::string(kShownId)));
  const auto run = prepare_run(std::move(spec), place_of(std::move(folder), context), **launcher,
                               std::string(kShownToken));
  if (!run) return refuse(run.error());
  const auto& plan = run->request.plan;
  context.reporter.answer(
      {.schema = "ddpsubmit.render.v1",
       .value = {{"launcher", plan.launcher},
                 {"plan", to_json(plan)},
                 {"script", run->script ? nlohmann::json(*run->script) : nlohmann::json()}},
       .text = run->script ? *run->script : render_plan_text(plan)});
  return ExitCode::ok;
}

}  // namespace ddp::cli
