#include "cli/commands/start/explain_run.hpp"
#include "cli/commands/start/load_config.hpp"
#include "cli/commands/start/show_rendering.hpp"

namespace ddp::cli {
namespace {

constexpr Option kExplain{"--explain", "",
                          "print instead where each line of the script and each value comes from"};

Outcome render(const Arguments& arguments, Context& context) {
  auto spec = load_config(arguments, context);
  if (!spec) return tl::unexpected(spec.error());
  return arguments.has(kExplain.name) ? explain_run(std::move(*spec), context)
                                      : show_rendering(std::move(*spec), context);
}

}  // namespace

Command render_command() {
  return {.name = "render",
          .summary = "Print what `run` would submit: the batch script, or the launch plan",
          .operands = {kConfigOperand, kOverridesOperand},
          .options = {kExplain},
          .description =
              "Nothing is started and no file is written. With the launcher `slurm`, the batch script is "
              "printed; with the others, the hosts, the ranks and the commands that would be started.",
          .examples = {{"render train.yaml launcher=slurm", "the sbatch script"},
                       {"render train.yaml launcher=slurm --explain",
                        "where each line of the script comes from"}},
          .run = render};
}

}  // namespace ddp::cli
