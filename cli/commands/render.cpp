#include "cli/commands/load_config.hpp"
#include "cli/commands/show_rendering.hpp"
#include "cli/output/table.hpp"
#include "cli/spec/render_spec.hpp"

namespace ddp::cli {
namespace {

constexpr Option kExplain{"--explain", "", "print every value and where it comes from instead"};

Outcome explain(const RunSpec& spec, Context& context) {
  std::vector<std::vector<std::string>> rows;
  nlohmann::json values = nlohmann::json::array();
  for (const auto& row : explain_spec(spec)) {
    rows.push_back({row.key, row.value, row.origin});
    values.push_back({{"key", row.key}, {"value", row.value}, {"origin", row.origin}});
  }
  context.reporter.answer({.schema = "ddpsubmit.explain.v1",
                           .value = {{"values", std::move(values)}},
                           .text = render_table(rows)});
  return ExitCode::ok;
}

Outcome render(const Arguments& arguments, Context& context) {
  auto spec = load_config(arguments, context);
  if (!spec) return tl::unexpected(spec.error());
  return arguments.has(kExplain.name) ? explain(*spec, context) : show_rendering(std::move(*spec), context);
}

}  // namespace

Command render_command() {
  return {.name = "render",
          .summary = "Print what `run` would submit: the batch script, or the launch plan",
          .operands = {kConfigOperand, kOverridesOperand},
          .options = {kExplain},
          .examples = {{"render train.yaml launcher=slurm", "the batch script"},
                       {"render train.yaml --explain", "where every value comes from"}},
          .run = render};
}

}  // namespace ddp::cli
