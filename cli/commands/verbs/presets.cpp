#include <fstream>

#include "cli/commands/start/load_config.hpp"
#include "cli/output/table.hpp"
#include "cli/spec/include_path.hpp"

namespace ddp::cli {
namespace {

/// The comment that the file begins with, its first line.
std::string head_comment(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line.starts_with("# ") ? line.substr(2) : std::string();
}

Outcome presets(const Arguments&, Context& context) {
  const IncludePath include_path(user_config_folder(context.environment), installed_configs(context));
  std::vector<std::vector<std::string>> rows;
  nlohmann::json values = nlohmann::json::array();
  for (const std::string& name : include_path.presets()) {
    const auto file = include_path.find(name, context.current_folder);
    const auto comment = head_comment(file);
    rows.push_back({name, comment});
    values.push_back({{"name", name}, {"file", file.string()}, {"description", comment}});
  }
  context.reporter.answer({.schema = "ddpsubmit.presets.v1",
                           .value = {{"presets", std::move(values)}},
                           .text = render_table(rows)});
  return ExitCode::ok;
}

}  // namespace

Command presets_command() {
  return {
      .name = "presets",
      .summary = "List the presets that a configuration can include by name: yours and the installed ones",
      .operands = {},
      .options = {},
      .description =
          "A preset is a YAML file in a folder below ~/.config/ddpsubmit or in the installation. Name "
          "it under `include` in a configuration, or as `+include=FILE` on the command line.",
      .examples = {{"presets", "to use one, write in your file: include: [compute/a100_4x.yaml]"},
                   {"presets --json", "also show the path of each file"}},
      .run = presets};
}

}  // namespace ddp::cli
