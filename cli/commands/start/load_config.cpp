#include "cli/commands/start/load_config.hpp"

#include "cli/launch/preflight/program_schemas.hpp"

namespace ddp::cli {

tl::expected<RunSpec, Errors> load_config(const Arguments& arguments, const Context& context) {
  return load_run_spec({.file = *arguments.one(kConfigOperand.name),
                        .arguments = arguments.all(kOverridesOperand.name),
                        .environment = context.environment,
                        .current_folder = context.current_folder,
                        .installed_folder = installed_configs(context),
                        .schemas_of = schema_source(context, context.current_folder)});
}

tl::expected<RunSpec, Errors> load_config_tree(ConfigNode root, const Context& context) {
  return load_run_spec({.file = {},
                        .tree = std::move(root),
                        .arguments = {},
                        .environment = context.environment,
                        .current_folder = context.current_folder,
                        .installed_folder = installed_configs(context),
                        .schemas_of = schema_source(context, context.current_folder)});
}

tl::expected<RunSpec, Errors> load_one_run(const Arguments& arguments, const Context& context) {
  auto spec = load_config(arguments, context);
  if (!spec || spec->points.empty()) return spec;
  return std::move(spec->points.front());
}

SchemaSource schema_source(const Context& context, const std::filesystem::path& work_dir) {
  return ask_program(context.system.runner, context.own_folder, work_dir, context.environment);
}

std::filesystem::path installed_configs(const Context& context) {
  return (context.own_folder / "../share/ddpsubmit/configs").lexically_normal();
}

void say_warnings(const std::vector<std::string>& warnings, Reporter& reporter) {
  for (const auto& warning : warnings) reporter.note("warning: " + warning);
}

RunPlace place_of(RunFolder folder, const Context& context) {
  return {.folder = std::move(folder),
          .work_dir = context.current_folder,
          .own_folder = context.own_folder,
          .submitter = context.environment};
}

}  // namespace ddp::cli
