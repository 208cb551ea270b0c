#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "cli/commands/command.hpp"
#include "cli/spec/config_schema.hpp"
#include "cli/spec/first_file.hpp"
#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;

constexpr Operand kLauncherOperand{"LAUNCHER", "where the run starts: local (the default), slurm or ssh",
                                   Arity::at_most_one, WordKind::launcher};
constexpr Option kCommandOption{"--command", "PROGRAM",
                                "start this program in each rank, in place of the bundled trainer; all words "
                                "that follow are its arguments, so this option comes last",
                                WordKind::text, OptionTakes::rest};
constexpr Option kFileOption{.name = "--output",
                             .value = "FILE",
                             .doc = "write to this file; - prints it (default: train.yaml)",
                             .kind = WordKind::config_file,
                             .short_name = "-o"};

constexpr const char* kDefaultFile = "train.yaml";
constexpr const char* kSchemaFile = ".ddpsubmit.schema.json";
constexpr const char* kStandardOutput = "-";

enum class Program { trainer, of_user };

Error exists_already(const path& file, Program program) {
  const std::string hint = "name another file: -o FILE";
  return {ExitCode::usage, "'" + file.string() + "' exists",
          program == Program::of_user ? hint + ", before --command" : hint};
}

/// The schema would be the first that cannot be written.
Expected<void> check_folder(const path& config) {
  const auto folder = config.parent_path();
  std::error_code unreadable;
  if (folder.empty() || std::filesystem::is_directory(folder, unreadable)) return {};
  return fail(ExitCode::run_failed,
              fmt::format("cannot write '{}': there is no folder '{}'", config.string(), folder.string()));
}

/// `flags`: O_EXCL refuses a file that there is, O_TRUNC replaces it.
Expected<void> write_new(const path& file, std::string_view text, int flags, Program program) {
  constexpr mode_t kByUmask = 0666;
  FileDescriptor written(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, kByUmask));
  if (!written.is_open() && errno == EEXIST) return tl::unexpected(exists_already(file, program));
  int error = written.is_open() ? write_all(written.get(), text) : errno;
  if (written.is_open() && error == 0) error = written.close();
  if (error == 0) return {};
  return fail(ExitCode::run_failed,
              fmt::format("cannot write '{}': {}", file.string(), std::generic_category().message(error)));
}

Expected<const LauncherRow*> choose_launcher(const std::optional<std::string>& name) {
  if (!name) return all_launchers().front();
  if (const auto* launcher = find_launcher(*name)) return launcher;
  std::vector<std::string> names;
  for (const auto* launcher : all_launchers()) names.emplace_back(launcher->name);
  const auto hint = suggest(*name, names);
  return fail(ExitCode::usage, "unknown launcher '" + *name + "'",
              hint.empty() ? "use " + join_words(names, " or ") : hint);
}

Outcome print_file(const FirstFile& file, Context& context) {
  const auto text = render_first_file(file);
  context.reporter.answer({.schema = "ddpsubmit.init.v1", .value = {{"text", text}}, .text = text});
  context.reporter.note(fmt::format(
      "note: the first line names a schema file; this writes it: ddpsubmit schema > {}", kSchemaFile));
  return ExitCode::ok;
}

/// The schema lies beside the file: a relative name holds on every machine that has the folder.
Outcome write_files(const path& config, const FirstFile& file, Context& context) {
  const path schema = config.parent_path() / kSchemaFile;
  const auto program = file.command.empty() ? Program::trainer : Program::of_user;
  if (auto checked = check_folder(config); !checked) return refuse(std::move(checked.error()));
  if (std::filesystem::exists(config)) return refuse(exists_already(config, program));
  if (auto written = write_new(schema, config_schema().dump(2) + "\n", O_TRUNC, program); !written)
    return refuse(std::move(written.error()));
  if (auto written = write_new(config, render_first_file(file), O_EXCL, program); !written)
    return refuse(std::move(written.error()));
  context.reporter.answer(
      {.schema = "ddpsubmit.init.v1",
       .value = {{"file", (context.current_folder / config).string()},
                 {"schema_file", (context.current_folder / schema).string()}},
       .text = fmt::format(
           "wrote {} and, for your editor, {}\nnext: ddpsubmit validate {}, then ddpsubmit run {}\n",
           file.name, quote_on_one_line(schema.string()), file.name, file.name)});
  return ExitCode::ok;
}

Outcome init(const Arguments& arguments, Context& context) {
  const auto launcher = choose_launcher(arguments.one(kLauncherOperand.name));
  if (!launcher) return refuse(launcher.error());
  const auto config = arguments.one(kFileOption.name).value_or(kDefaultFile);
  const bool is_printed = config == kStandardOutput;
  const FirstFile file{.name = is_printed ? kDefaultFile : quote_on_one_line(config),
                       .schema = std::string("./") + kSchemaFile,
                       .launcher = *launcher,
                       .command = arguments.all(kCommandOption.name)};
  return is_printed ? print_file(file, context) : write_files(config, file, context);
}

}  // namespace

Command init_command() {
  return {
      .name = "init",
      .summary = "Write a first configuration file with comments, and the schema that your editor uses",
      .operands = {kLauncherOperand},
      .options = {kFileOption, kCommandOption},
      .examples = {{"init", "train.yaml: a small training on this machine that runs as it is"},
                   {"init slurm --command python train.py --lr 0.1", "your own program on a Slurm cluster"},
                   {"init ssh -o hosts.yaml", "a training on ssh hosts, in another file"},
                   {"init slurm -o -", "print the file"}},
      .run = init};
}

}  // namespace ddp::cli
