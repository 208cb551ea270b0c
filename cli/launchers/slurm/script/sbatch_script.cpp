#include "cli/launchers/slurm/script/sbatch_script.hpp"

#include "cli/launchers/slurm/script/template_engine.hpp"

namespace ddp::cli {
namespace {

std::vector<std::string> render_directives(const std::vector<SbatchOption>& options) {
  std::vector<std::string> lines;
  for (const auto& option : options) lines.push_back(render_directive(option));
  return lines;
}

// An empty line sets them off.
std::string join_setup(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "\n" : "") + line + '\n';
  return text;
}

}  // namespace

Expected<std::string> render_sbatch_script(const SbatchScriptInput& input) {
  const auto& plan = input.plan;
  return render_template(
      input.template_text,
      {{"directives", render_directives(input.options)},
       {"run_id", plan.run_id},
       {"run_dir", plan.run_dir},
       {"agent", plan.agent},
       {"stop_signals", plan.stop_signal ? *plan.stop_signal + " TERM" : std::string("TERM")},
       {"srun_options", render_directives(input.srun_options)},
       {"has_setup", !input.setup.empty()},
       {"setup", join_setup(input.setup)},
       {"sweep", input.first_point.has_value()},
       {"first_point", std::to_string(input.first_point.value_or(0))}},
      input.template_name);
}

}  // namespace ddp::cli
