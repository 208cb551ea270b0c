#include "cli/launch/preflight/program_schemas.hpp"

#include <map>

#include "cli/launch/plan/trainer_path.hpp"
#include "trainer/config/schema_json.hpp"

namespace ddp::cli {
namespace {

using Schemas = std::shared_ptr<const trainer::ComponentSchemas>;

/// What the loader ends a program with that it cannot load.
constexpr int kNotStarted = 127;

constexpr const char* kHint =
    "train.program must be ddptrain or a program whose main calls ddp::trainer::train_main; start any other "
    "program with command:";

/// What is code does not travel as JSON; of a component that ddptrain has too it is here.
void restore_checks(trainer::ComponentSchemas& schemas) {
  const auto& bundled = trainer::bundled_schemas();
  for (const auto& table : trainer::kComponentTables) {
    for (auto& schema : schemas.*table.schemas) {
      if (const auto* own = trainer::find_schema(bundled.*table.schemas, schema.name)) schema = *own;
    }
  }
}

Expected<Schemas> ask(const std::string& program, CommandRunner& runner, const EnvMap& environment) {
  const auto refuse = [&](const std::string& why) {
    return fail(ExitCode::config_invalid, "'" + program + " --components' " + why, kHint);
  };
  const auto result = runner.run({.argv = {program, "--components"}, .environment = environment});
  if (!result) return tl::unexpected(result.error());
  if (result->end == CommandResult::End::timed_out) return refuse("does not answer");
  if (result->code == kNotStarted) return Schemas();  // the preflight names the libraries that are missing
  if (!result->succeeded()) return refuse("fails: " + result->err);
  auto schemas = trainer::parse_schemas(result->out);
  if (!schemas) return refuse("prints something else: " + schemas.error().message);
  restore_checks(*schemas);
  return std::make_shared<const trainer::ComponentSchemas>(std::move(*schemas));
}

}  // namespace

SchemaSource ask_program(CommandRunner& runner, std::filesystem::path own_folder,
                         std::filesystem::path work_dir, EnvMap environment) {
  return
      [&runner, own_folder = std::move(own_folder), work_dir = std::move(work_dir),
       environment = std::move(environment), known = std::make_shared<std::map<std::string, Schemas>>()](
          const std::string& name, const std::map<std::string, std::string>& variables) -> Expected<Schemas> {
        if (const auto found = known->find(name); found != known->end()) return found->second;
        const auto program = locate_trainer(name, own_folder, work_dir, environment);
        if (!resolve_program(program, environment)) return Schemas();  // the preflight tells what is missing
        EnvMap with_variables = environment;
        for (const auto& [key, value] : variables) with_variables.set(key, value);
        auto schemas = ask(program, runner, with_variables);
        if (schemas) known->emplace(name, *schemas);
        return schemas;
      };
}

}  // namespace ddp::cli
