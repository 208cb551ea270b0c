#include <unistd.h>

#include <charconv>

#include "cli/commands/top/top_loop.hpp"
#include "cli/commands/watch/find_run.hpp"

namespace ddp::cli {
namespace {

constexpr Option kInterval{"--interval", "SECONDS", "how often to look for changes (default: 1)"};
constexpr const char* kInstead = "use instead: ddpsubmit list, or ddpsubmit status RUN";

Expected<std::chrono::milliseconds> parse_interval(const Arguments& arguments) {
  const auto text = arguments.one(kInterval.name).value_or("1");
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc{} && end == text.data() + text.size() && seconds >= 0.1 && seconds <= 3600)
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  return fail(ExitCode::usage, "--interval: '" + text + "' is not a number of seconds from 0.1 to 3600",
              "for example: --interval 5");
}

Expected<void> check_terminal(const Context& context) {
  if (context.reporter.mode() == OutputMode::json)
    return fail(ExitCode::usage, "top has no JSON: it draws on a terminal",
                "use instead: ddpsubmit list --json");
  if (isatty(STDOUT_FILENO) == 0) return fail(ExitCode::usage, "stdout is not a terminal", kInstead);
  if (isatty(STDIN_FILENO) == 0) return fail(ExitCode::usage, "stdin is not a terminal", kInstead);
  return {};
}

Outcome top(const Arguments& arguments, Context& context) {
  const auto interval = parse_interval(arguments);
  if (!interval) return refuse(interval.error());
  if (const auto terminal = check_terminal(context); !terminal) return refuse(terminal.error());
  auto store = RunStore::open(context.environment);
  if (!store) return refuse(store.error());
  std::vector<RunPointer> chosen;
  if (const auto words = arguments.all("RUN"); !words.empty()) {
    auto found = find_runs(words, context);
    if (!found) return refuse(found.error());
    if (!found->errors.empty()) return tl::unexpected(std::move(found->errors));
    chosen = std::move(found->pointers);
  }
  return show_top({.store = std::move(*store), .chosen = std::move(chosen), .interval = *interval}, context);
}

}  // namespace

Command top_command() {
  return {
      .name = "top",
      .summary = "Show runs on the whole terminal while they change: progress, ranks, logs",
      .operands = {{"RUN", kRunDoc, Arity::any, WordKind::run}},
      .options = {kInterval},
      .description =
          "Without RUN all runs are shown, also those that start later. Enter opens a run or a sweep, Esc "
          "goes back, `l` follows logs, `c` cancels, `r` starts an ended run again, `/` filters, `s` sorts, "
          "`q` quits, and `?` lists all keys. LEFT is the time until the last step at the present pace, "
          "and LIMIT the time until the time limit ends the job; a `!` marks a run that will not finish "
          "before it. STALLED means that the run is suspected to hang. LOSS and SAMPLES/S are of the "
          "training, not of evaluations. It reads the run folders, and asks Slurm at most every ten "
          "seconds, with one squeue for all runs.",
      .examples = {{"top", "all runs"}, {"top last", "the newest run: its ranks, curves and logs"}},
      .run = top,
      .answers = AnswerForm::screen};
}

}  // namespace ddp::cli
