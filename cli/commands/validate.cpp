#include <fmt/format.h>

#include "cli/commands/load_config.hpp"

namespace ddp::cli {
namespace {

Outcome validate(const Arguments& arguments, Context& context) {
  const auto spec = load_config(arguments, context);
  if (!spec) return tl::unexpected(spec.error());
  const auto& resources = spec->resources;
  context.reporter.answer(
      {.schema = "ddpsubmit.validate.v1",
       .value = {{"valid", true},
                 {"name", spec->name},
                 {"launcher", to_string(spec->launcher)},
                 {"nodes", resources.nodes},
                 {"tasks_per_node", resources.tasks_per_node}},
       .text =
           fmt::format("{} is valid: {} on {}, {} x {} ranks\n", *arguments.one(kConfigOperand.name),
                       spec->name, to_string(spec->launcher), resources.nodes, resources.tasks_per_node)});
  return ExitCode::ok;
}

}  // namespace

Command validate_command() {
  return {.name = "validate",
          .summary = "Check a configuration, `train:` included; exit 3 if it is not valid",
          .operands = {kConfigOperand, kOverridesOperand},
          .options = {},
          .examples = {{"validate train.yaml", "all its errors at once"},
                       {"validate train.yaml launcher=slurm", "as it would be on the cluster"}},
          .run = validate};
}

}  // namespace ddp::cli
