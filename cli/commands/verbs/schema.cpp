#include "cli/commands/command.hpp"
#include "cli/spec/config_schema.hpp"

namespace ddp::cli {
namespace {

Outcome print_schema(const Arguments&, Context& context) {
  const auto schema = config_schema();
  context.reporter.answer(
      {.schema = "ddpsubmit.schema.v1", .value = {{"config", schema}}, .text = schema.dump(2) + "\n"});
  return ExitCode::ok;
}

}  // namespace

Command schema_command() {
  return {.name = "schema",
          .summary = "Print the JSON Schema of the configuration file, for editors and other checkers",
          .operands = {},
          .options = {},
          .examples = {{"schema > .ddpsubmit.schema.json",
                        "the file that 'init' names on the first line of a configuration file"}},
          .run = print_schema};
}

}  // namespace ddp::cli
