#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>

#include "cli/commands/watch/find_run.hpp"
#include "cli/commands/watch/follow.hpp"
#include "cli/commands/watch/job_output.hpp"
#include "cli/commands/watch/rank_set.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/log_text.hpp"
#include "cli/output/run/log_commands.hpp"
#include "cli/output/run/verdict.hpp"
#include "cli/store/state/run_records.hpp"
#include "cli/store/state/sweep_state.hpp"
#include "cli/store/sweep_record.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/record/files/regular_file.hpp"

namespace ddp::cli {
namespace {

constexpr Option kFollow{
    .name = "--follow", .value = "", .doc = "print new lines until the run ends", .short_name = "-f"};
constexpr Option kRank{"--rank", "RANKS", "only these ranks, for example 0-3,7", WordKind::ranks};
constexpr Option kAttempt{"--attempt", "N", "only this attempt (default: the newest)"};
constexpr Option kTail{
    .name = "--tail",
    .value = "N",
    .doc = "only the last N lines of each rank, or of the job's output; with --follow, also all new lines",
    .short_name = "-n"};
constexpr Option kStdout{"--stdout", "", "only stdout, without marks (for scripts)"};
constexpr Option kStderr{"--stderr", "", "only stderr, without marks (for scripts)"};

Expected<int> choose_attempt(const Arguments& arguments, const RunFolder& folder) {
  const auto highest = folder.highest_attempt();
  if (!highest) return tl::unexpected(highest.error());
  const auto text = arguments.one(kAttempt.name);
  if (!text) return std::max(*highest, 0);
  const auto number = parse_integer(*text);
  if (!number || *number < 0)
    return fail(ExitCode::usage, "--attempt: '" + *text + "' is not a valid attempt number");
  if (*number <= *highest) return static_cast<int>(*number);
  return fail(ExitCode::not_found, "the run has no attempt " + *text,
              *highest < 0 ? "it has not started yet" : "its attempts are 0 to " + std::to_string(*highest));
}

Expected<std::optional<std::uint64_t>> count_lines(const Arguments& arguments) {
  const auto text = arguments.one(kTail.name);
  if (!text) return std::nullopt;
  if (const auto count = parse_whole_number(*text)) return static_cast<std::uint64_t>(*count);
  return fail(ExitCode::usage, "--tail: '" + *text + "' is not a valid number of lines",
              "for example: --tail 20");
}

Expected<std::vector<LogStream>> choose_streams(const Arguments& arguments) {
  const bool out = arguments.has(kStdout.name);
  const bool err = arguments.has(kStderr.name);
  if (out && err)
    return fail(ExitCode::usage, "--stdout and --stderr cannot be used together",
                "leave out both to see both streams");
  if (out) return std::vector{LogStream::out};
  if (err) return std::vector{LogStream::err};
  return std::vector{LogStream::out, LogStream::err};
}

Expected<LogReader::Selection> select(const Arguments& arguments, const RunFolder& folder) {
  const auto plan = load_run_plan(folder);
  if (!plan) return tl::unexpected(plan.error());
  const int world_size = plan->nodes * plan->tasks_per_node;
  const auto all = fmt::format("0-{}", world_size - 1);
  auto ranks = parse_rank_set(arguments.one(kRank.name).value_or(all), world_size);
  if (!ranks) return tl::unexpected(ranks.error());
  const auto attempt = choose_attempt(arguments, folder);
  if (!attempt) return tl::unexpected(attempt.error());
  const auto last_lines = count_lines(arguments);
  if (!last_lines) return tl::unexpected(last_lines.error());
  auto streams = choose_streams(arguments);
  if (!streams) return tl::unexpected(streams.error());
  const bool onward = arguments.has(kFollow.name) && !arguments.has(kAttempt.name);
  return LogReader::Selection{.attempt = *attempt,
                              .attempts = onward ? LogReader::Attempts::onward : LogReader::Attempts::only,
                              .ranks = std::move(*ranks),
                              .streams = std::move(*streams),
                              .last_lines = *last_lines};
}

LogMarks marks_for(const LogReader::Selection& selection, const EnvMap& environment) {
  return {.rank = rank_mark_for(selection.ranks.size()),
          .err = selection.streams.size() > 1 ? ErrMark::shown : ErrMark::none,
          .colour = colour_for(environment, STDOUT_FILENO)};
}

std::function<void(const LogLine&)> print_to(Reporter& reporter, LogMarks marks) {
  return [&reporter, marks](const LogLine& line) {
    reporter.log_item({.schema = "ddpsubmit.log.v1",
                       .value = {{"attempt", line.attempt},
                                 {"rank", line.rank},
                                 {"stream", to_string(line.stream)},
                                 {"text", line.text}},
                       .text = render_log_line(line, marks) + '\n'});
  };
}

/// How many lines there were.
std::size_t print_all(LogReader reader, const std::function<void(const LogLine&)>& print) {
  std::size_t count = 0;
  for (auto lines = reader.take_rest(); !lines.empty(); lines = reader.take_rest()) {
    for (const auto& line : lines) print(line);
    count += lines.size();
  }
  return count;
}

/// The records tell it of a run that has ranks; of others the launcher is asked, too.
RunStatus load_start(const RunPointer& pointer, Context& context) {
  auto status = load_recorded_status(pointer);
  if (is_final(status.state) || (status.head && !is_before_ranks(pointer, status))) return status;
  return resolve_run(pointer, context.seams()).status;
}

Error explain_silence(const RunPointer& pointer, const RunStatus& status) {
  const auto state = words_of(status.state);
  auto why = status.message;
  if (!why.starts_with(state)) why = fmt::format("it is {}{}{}", state, why.empty() ? "" : ": ", why);
  return {ExitCode::not_found, "the run's ranks have not started: " + why,
          "see: ddpsubmit describe " + pointer.run_id};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// A log that is a FIFO, a folder or a device is named: it would seem to have no lines.
void tell_unreadable(const RunFolder& folder, const LogReader::Selection& selection, Reporter& reporter) {
  for (const int rank : selection.ranks) {
    for (const auto stream : selection.streams) {
      const auto file = open_regular_file(stream == LogStream::out ? folder.out(selection.attempt, rank)
                                                                   : folder.err(selection.attempt, rank));
      if (!file && file.error().code != ExitCode::not_found)
        reporter.note("warning: " + file.error().message);
    }
  }
}

/// A run that waits for a further start has only the lines of the attempts before. One that is claimed
/// already is about to start.
void tell_waiting_attempt(const RunStatus& status, int shown, Reporter& reporter) {
  if (status.state != RunState::queued || status.attempts.empty() || shown > status.newest_attempt()) return;
  reporter.note(fmt::format("the next attempt has not started yet; showing the lines of attempt {}", shown));
}

bool asks_for_all(const Arguments& arguments) {
  return std::ranges::none_of(std::array{kAttempt, kRank, kStdout, kStderr},
                              [&](const Option& option) { return arguments.has(option.name); });
}

/// Before the one that is selected.
std::optional<int> find_attempt_with_output(const RunFolder& folder, const LogReader::Selection& selection) {
  std::error_code none;
  for (int attempt = selection.attempt - 1; attempt >= 0; --attempt) {
    for (const int rank : selection.ranks)
      for (const auto& file : {folder.out(attempt, rank), folder.err(attempt, rank)})
        if (const auto size = std::filesystem::file_size(file, none); !none && size > 0) return attempt;
  }
  return std::nullopt;
}

/// After a restart the newest attempt may have printed nothing, and what is looked for is in an earlier one.
void tell_earlier_attempt(const RunPointer& pointer, const LogReader::Selection& selection,
                          Reporter& reporter) {
  if (selection.attempt == 0) return;
  const auto earlier = find_attempt_with_output(RunFolder(pointer.run_dir), selection);
  if (!earlier) return reporter.note("no attempt has printed anything");
  reporter.note(
      fmt::format("attempt {0} has printed nothing; to see attempt {1}: ddpsubmit logs {2} --attempt {1}",
                  selection.attempt, *earlier, pointer.run_id));
}

/// "ranks 0-2 have printed nothing in attempt 1": of the ranks that were asked for.
void tell_silent_ranks(const std::string& ranks, const LogReader::Selection& selection, Reporter& reporter) {
  const bool is_one = selection.ranks.size() == 1;
  reporter.note(fmt::format("{} {} printed nothing in attempt {}",
                            is_one ? "rank " + ranks : "ranks " + ranks, is_one ? "has" : "have",
                            selection.attempt));
}

bool asks_for_ranks(const Arguments& arguments) {
  return arguments.has(kRank.name) && !arguments.has(kStdout.name) && !arguments.has(kStderr.name);
}

/// What is to be shown of a run, and how.
struct LogRequest {
  RunPointer pointer;
  LogReader::Selection selection;
  LogMarks marks;
  Errors stale;  ///< why the logs are those of an earlier look
};

Outcome follow_logs(LogRequest request, const Arguments& arguments, Context& context) {
  const RunFolder folder(request.pointer.run_dir);
  const auto& selection = request.selection;
  if (!arguments.has(kAttempt.name) && request.stale.empty())
    tell_waiting_attempt(load_recorded_status(request.pointer), selection.attempt, context.reporter);
  const auto on_line = print_to(context.reporter, request.marks);
  const auto end = follow_run({.pointer = std::move(request.pointer),
                               .logs = LogReader(folder, selection),
                               .on_line = on_line,
                               .marks = request.marks,
                               .training = TrainingWatch(folder, selection.attempt)},
                              context);
  if (!end) return refuse(end.error());
  if (end->reason == FollowEnd::Reason::run_ended) {
    (void)show_job_output(end->run.pointer, end->run.status, selection.last_lines, context.reporter);
    context.reporter.note(first_line(render_verdict(end->run)));
  }
  if (end->reason != FollowEnd::Reason::interrupted) return ExitCode::ok;
  return end->signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated;
}

Outcome print_logs(const LogRequest& request, const Arguments& arguments, Context& context) {
  const auto& [pointer, selection, marks, stale] = request;
  const RunFolder folder(pointer.run_dir);
  if (!arguments.has(kAttempt.name)) {
    const auto status = load_start(pointer, context);
    if (show_job_output(pointer, status, selection.last_lines, context.reporter) == Shown::job_output)
      return ExitCode::ok;
    std::error_code error;
    if (!std::filesystem::exists(folder.logs(selection.attempt), error))
      return refuse(explain_silence(pointer, status));
    if (stale.empty()) tell_waiting_attempt(status, selection.attempt, context.reporter);
  }
  const auto lines = print_all(LogReader(folder, selection), print_to(context.reporter, marks));
  context.reporter.flush();
  if (lines == 0 && asks_for_all(arguments)) tell_earlier_attempt(pointer, selection, context.reporter);
  if (lines == 0 && asks_for_ranks(arguments))
    tell_silent_ranks(*arguments.one(kRank.name), selection, context.reporter);
  return ExitCode::ok;
}

/// Of a single run, or of a point.
Outcome logs_of_run(RunPointer pointer, const Arguments& arguments, Context& context) {
  StatusResolver resolver(context.seams());
  if (load_recorded_status(pointer).awaits_answer) (void)resolver.resolve(pointer);
  auto stale = resolver.refresh(std::span(&pointer, 1));
  for (const auto& error : stale) context.reporter.note(error.message + "; showing the last fetched copy");
  const RunFolder folder(pointer.run_dir);
  auto selection = select(arguments, folder);
  if (!selection) return refuse(selection.error());
  tell_unreadable(folder, *selection, context.reporter);
  const auto marks = marks_for(*selection, context.environment);
  LogRequest request{.pointer = std::move(pointer),
                     .selection = std::move(*selection),
                     .marks = marks,
                     .stale = std::move(stale)};
  return arguments.has(kFollow.name) ? follow_logs(std::move(request), arguments, context)
                                     : print_logs(request, arguments, context);
}

/// The only one.
std::optional<int> find_running_point(const RunStatus& sweep) {
  const auto runs = [](const RunStatus& point) {
    return point.state == RunState::running || point.state == RunState::restarting;
  };
  const auto first = std::ranges::find_if(sweep.points, runs);
  if (first == sweep.points.end() || std::ranges::count_if(sweep.points, runs) > 1) return std::nullopt;
  return static_cast<int>(first - sweep.points.begin());
}

Error explain_sweep(const RunPointer& pointer, const SweepRecord& sweep, std::string hint) {
  return {ExitCode::usage,
          fmt::format("{} is a sweep of {}, and each point has its own logs", pointer.run_id,
                      render_count(sweep.points.size(), "point")),
          std::move(hint)};
}

Outcome refuse_with_commands(const RunPointer& pointer, const SweepRecord& sweep, const RunStatus& status,
                             Reporter& reporter) {
  const auto commands = render_log_commands(pointer, sweep, status);
  if (commands.empty())
    return refuse(
        explain_sweep(pointer, sweep, "no point has started yet; see: ddpsubmit status " + pointer.run_id));
  reporter.errors({explain_sweep(pointer, sweep, "choose one of these commands")});
  for (const auto& command : commands) reporter.note(command);
  return ExitCode::usage;
}

/// Programs get the same answer at any time.
Outcome logs_of_sweep(const RunPointer& pointer, const SweepRecord& sweep, const Arguments& arguments,
                      Context& context) {
  if (context.reporter.mode() == OutputMode::json)
    return refuse(
        explain_sweep(pointer, sweep, fmt::format("choose a point: ddpsubmit logs {}/0", pointer.run_id)));
  const auto status = StatusResolver(context.seams()).resolve(pointer);
  const auto number = find_running_point(status);
  if (!number) return refuse_with_commands(pointer, sweep, status, context.reporter);
  auto point = point_pointer(pointer, *number);
  context.reporter.note(
      fmt::format("this is the output of {}, the only point that is running", point.run_id));
  return logs_of_run(std::move(point), arguments, context);
}

Outcome logs(const Arguments& arguments, Context& context) {
  auto pointer = find_run(*arguments.one("RUN"), context);
  if (!pointer) return refuse(pointer.error());
  const auto sweep = load_sweep_record(RunFolder(pointer->run_dir));
  return sweep ? logs_of_sweep(*pointer, *sweep, arguments, context)
               : logs_of_run(std::move(*pointer), arguments, context);
}

}  // namespace

Command logs_command() {
  return {.name = "logs",
          .summary = "Print the output of the ranks of a run",
          .operands = {{"RUN", kRunDoc, Arity::one, WordKind::run}},
          .options = {kFollow, kTail, kRank, kAttempt, kStdout, kStderr},
          .description =
              "The lines of all ranks are merged. Each line has a mark that names its rank, and stderr is "
              "marked, too; of one rank alone, the lines have no rank. Without `--attempt`, the newest "
              "attempt is shown. Of a sweep, the output of the point that is running is shown; if none or "
              "several are running, the commands for its points are listed.",
          .examples = {{"logs last --follow", "the newest run, until it ends"},
                       {"logs last --tail 20 --follow", "start at the last 20 lines of each rank"},
                       {"logs last --rank 2 --stderr", "the stderr of rank 2"},
                       {"logs last --stdout",
                        "for scripts: lines as printed, of a progress bar only the last state"}},
          .run = logs};
}

}  // namespace ddp::cli
