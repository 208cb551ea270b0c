#include "cli/commands/watch/report_end.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "cli/output/run/run_json.hpp"
#include "cli/output/run/sweep_table.hpp"
#include "cli/output/run/verdict.hpp"
#include "ddp/jobenv/terminal.hpp"

namespace ddp::cli {
namespace {

ExitCode exit_code_of(const FollowEnd& end) {
  const RunState state = end.run.status.state;
  const bool by_signal = end.reason == FollowEnd::Reason::interrupted || state == RunState::cancelled;
  if (end.signal != 0 && by_signal)
    return end.signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated;
  if (state == RunState::succeeded) return ExitCode::ok;
  if (is_final(state)) return ExitCode::run_failed;
  const bool goes_on = end.reason == FollowEnd::Reason::timed_out && state != RunState::unknown;
  return goes_on ? ExitCode::still_running : ExitCode::outcome_unknown;
}

std::string describe_end(const FollowEnd& end) {
  const auto& id = end.run.pointer.run_id;
  const auto& status = end.run.status;
  if (end.reason == FollowEnd::Reason::run_ended || is_final(status.state)) return render_verdict(end.run);
  if (status.state == RunState::unknown) {
    return fmt::format("error: the state of run {} is unknown{}{}\n  next: ddpsubmit status {}\n", id,
                       status.message.empty() ? "" : ": ", status.message, id);
  }
  return fmt::format("run {} has not ended yet ({}); see: ddpsubmit status {}\n", id, words_of(status.state),
                     id);
}

/// What the ranks of its points print stays in their logs: stdout is for the table.
Outcome report_sweep_end(const FollowEnd& end, const Report& report, Context& context, Answers answers) {
  answers == Answers::one ? context.reporter.answer(report) : context.reporter.item(report);
  context.reporter.flush();
  std::string said = describe_end(end);
  while (said.ends_with('\n')) said.pop_back();
  context.reporter.note(said);
  return exit_code_of(end);
}

}  // namespace

Outcome report_end(std::string_view schema, const FollowEnd& end, Context& context, Answers answers) {
  const auto now = context.system.clock.now();
  Report report{.schema = schema, .value = to_json(end.run, now), .text = {}};
  if (end.run.sweep) {
    report.text = render_sweep_table(end.run, now, terminal_columns(STDOUT_FILENO));
    return report_sweep_end(end, report, context, answers);
  }
  report.text = describe_end(end);
  const bool as_line = answers == Answers::several && context.reporter.mode() == OutputMode::json;
  as_line ? context.reporter.item(report) : context.reporter.outcome(report);
  return exit_code_of(end);
}

}  // namespace ddp::cli
