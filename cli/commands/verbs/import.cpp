#include <fmt/format.h>

#include "cli/commands/command.hpp"
#include "cli/commands/output_file.hpp"
#include "cli/import/import_script.hpp"
#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

constexpr Operand kScriptOperand{"SCRIPT", "batch script, as sbatch takes it", Arity::one, WordKind::file};
constexpr Option kYamlOption{.name = "--output",
                             .value = "FILE",
                             .doc = "write the YAML to FILE instead of stdout; FILE must not exist",
                             .kind = WordKind::config_file,
                             .short_name = "-o"};

/// A file of the user is not replaced.
Expected<void> save_configuration(const std::filesystem::path& file, const std::string& name,
                                  const std::string& yaml) {
  std::error_code unreadable;
  if (std::filesystem::exists(file, unreadable))
    return fail(ExitCode::usage, "'" + name + "' exists", "name another file: -o FILE");
  if (auto checked = check_output_file(file); !checked) return checked;
  return save_file(file, yaml, Durability::visible);
}

Expected<std::string> load_script(const std::filesystem::path& file, const std::string& name) {
  std::error_code unreadable;
  if (std::filesystem::is_directory(file, unreadable))
    return fail(ExitCode::usage, "'" + name + "' is a folder", "name a batch script");
  return load_file(file);
}

Outcome import_batch_script(const Arguments& arguments, Context& context) {
  const auto script = *arguments.one(kScriptOperand.name);
  auto text = load_script(context.current_folder / script, script);
  if (!text) return refuse(text.error());
  const auto imported = import_script(
      make_source_text(script, context.current_folder.string(), *std::move(text), Origin::config_file));
  if (!imported) return tl::unexpected(imported.error());
  for (const auto& note : imported->notes) context.reporter.note("note: " + note);
  const auto file = arguments.one(kYamlOption.name);
  if (!file) {
    context.reporter.answer(
        {.schema = "ddpsubmit.import.v1", .value = {{"yaml", imported->yaml}}, .text = imported->yaml});
    return ExitCode::ok;
  }
  if (auto saved = save_configuration(context.current_folder / *file, *file, imported->yaml); !saved)
    return refuse(saved.error());
  const auto name = quote_on_one_line(*file);
  context.reporter.answer(
      {.schema = "ddpsubmit.import.v1",
       .value = {{"yaml", imported->yaml}, {"file", (context.current_folder / *file).string()}},
       .text =
           fmt::format("wrote {}\nnext: ddpsubmit validate {}, then ddpsubmit run {}\n", name, name, name)});
  return ExitCode::ok;
}

}  // namespace

Command import_command() {
  return {.name = "import",
          .summary = "Print the configuration that a batch script for sbatch stands for",
          .operands = {kScriptOperand},
          .options = {kYamlOption},
          .description =
              "Comments in the YAML say where each line of the script went. Plain lines before srun become "
              "set-up lines. "
              "Loops, conditions, functions and lines behind srun are refused, all at once, with their "
              "places. Nothing is "
              "started, and no cluster is asked.",
          .examples = {{"import train.sbatch", "print the YAML"},
                       {"import train.sbatch -o train.yaml", "write it to a file"}},
          .run = import_batch_script};
}

}  // namespace ddp::cli
