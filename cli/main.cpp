#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "cli/commands/command_line.hpp"
#include "cli/commands/registry.hpp"
#include "cli/system/standard_output.hpp"

namespace ddp::cli {
namespace {

Reader reader_of(int descriptor) {
  return isatty(descriptor) != 0 ? Reader::terminal : Reader::others;
}

std::unique_ptr<Reporter> make_reporter(OutputMode mode, std::ostream& out, std::ostream& err,
                                        const EnvMap& environment) {
  const Sink answers(out, reader_of(STDOUT_FILENO));
  const Sink talk(err, reader_of(STDERR_FILENO));
  if (mode == OutputMode::json) return make_json_reporter(answers, talk);
  return make_text_reporter(answers, talk, colour_for(environment, STDERR_FILENO),
                            make_last_line(environment, out, err), columns_of_stderr);
}

Outcome perform(const std::vector<std::string>& words, std::span<const Command> commands,
                const EnvMap& environment, Reporter& reporter) {
  const auto line = parse_command_line(words, commands);
  if (!line) return refuse(line.error());
  if (const auto* shown = std::get_if<ShownText>(&*line)) {
    reporter.answer({.schema = shown->schema, .value = {{"text", shown->text}}, .text = shown->text});
    return ExitCode::ok;
  }
  std::error_code error;
  auto folder = std::filesystem::current_path(error);
  if (error)
    return refuse({ExitCode::usage, "the current folder cannot be used: " + error.message(),
                   "it may have been deleted; change to another folder: cd ~"});
  RealCommandRunner runner;
  RealClock clock;
  RealHost host;
  Context context{.environment = environment,
                  .current_folder = std::move(folder),
                  .own_folder = std::filesystem::read_symlink("/proc/self/exe").parent_path(),
                  .system = {runner, clock, host},
                  .reporter = reporter};
  const auto& invocation = std::get<Invocation>(*line);
  return invocation.command->run(invocation.arguments, context);
}

/// Who reads through `| head` has seen enough; everybody else is told.
void say_unwritten(int error, Reporter& reporter) {
  if (error == EPIPE) return;
  reporter.note("error: cannot write to stdout: " + std::generic_category().message(error));
}

ExitCode run_program(const std::vector<std::string>& words) {
  const EnvMap environment = EnvMap::capture();
  HeldUpReader reader;
  StandardOutput standard_output(STDOUT_FILENO, reader);
  StandardOutput standard_error(STDERR_FILENO, reader);
  std::ostream out(&standard_output);
  std::ostream err(&standard_error);
  err << std::unitbuf;
  const auto commands = all_commands();
  const auto reporter = make_reporter(output_mode_of(words, commands), out, err, environment);
  Outcome outcome = ExitCode::ok;
  try {
    outcome = perform(words, commands, environment, *reporter);
  } catch (const std::exception& failure) {  // the filesystem and memory: nothing else throws
    outcome = refuse({ExitCode::run_failed, failure.what()});
  }
  if (!outcome) reporter->errors(outcome.error());
  reporter->flush();
  const ExitCode code = outcome ? *outcome : worst_code(outcome.error());
  if (standard_output.error() == 0 || standard_output.error() == EINTR) return code;
  say_unwritten(standard_output.error(), *reporter);
  return code == ExitCode::ok ? ExitCode::run_failed : code;
}

}  // namespace
}  // namespace ddp::cli

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // past a limit of the size of files a write fails, and is told
  ddp::cli::occupy_standard_descriptors();
  return static_cast<int>(ddp::cli::run_program({argv + 1, argv + argc}));
}
