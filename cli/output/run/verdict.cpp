#include "cli/output/run/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/quoted_lines.hpp"
#include "cli/output/run/report_text.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::cli {
namespace {

using std::chrono::system_clock;

constexpr std::string_view kNext = "  next: ";

/// With each sentence after the first on a line of its own.
std::string break_sentences(std::string_view text) {
  std::string lines;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool ends =
        text.substr(at, 2) == ". " && at + 2 < text.size() && text[at + 2] >= 'A' && text[at + 2] <= 'Z';
    if (!ends) {
      lines += text[at];
      continue;
    }
    lines += "\n  ";
    ++at;
  }
  return lines;
}

/// Whether the kernel, or somebody else than ddpsubmit, has killed the rank to blame.
bool was_killed_by_others(const RunStatus& status) {
  if (!status.cause || status.cause->signal != SIGKILL || status.attempts.empty()) return false;
  const auto& ranks = status.attempts.back().ranks;
  const auto rank = std::ranges::find(ranks, status.cause->rank,
                                      [](const RankStatus& each) { return std::optional(each.rank); });
  return rank != ranks.end() && rank->ended_by == name_of(EndedBy::itself);
}

std::string render_likely_cause(const RunStatus& status) {
  constexpr const char* kHint =
      "  likely cause: the host ran out of memory, or the job exceeded its memory limit\n";
  return was_killed_by_others(status) ? kHint : "";
}

std::string next_line(std::string_view command, std::string_view what) {
  return fmt::format("{}{} ({})\n", kNext, command, what);
}

/// Names no command that would print nothing.
std::string render_look(const KnownRun& run) {
  const auto& id = run.pointer.run_id;
  const auto& cause = run.status.cause;
  if (cause && cause->rank) {
    const auto logs = fmt::format("ddpsubmit logs {} --rank {}", id, *cause->rank);
    if (!cause->stderr_tail.empty())
      return next_line(logs + " --stderr", fmt::format("all of the stderr of rank {}", *cause->rank));
    if (run.cause_printed) return next_line(logs, fmt::format("what rank {} printed", *cause->rank));
  }
  return next_line("ddpsubmit describe " + id, "all that is known of the run");
}

/// A training that ended early resumes from its newest checkpoint, if that can be read.
bool can_resume(const KnownRun& run) {
  const auto& cause = run.status.cause;
  const bool unreadable = cause && cause->code == static_cast<int>(ExitCode::no_valid_checkpoint);
  return run.checkpoint && is_final(run.status.state) && run.status.state != RunState::succeeded &&
         !unreadable;
}

std::string render_rerun(const KnownRun& run) {
  const auto command = "ddpsubmit rerun " + run.pointer.run_id;
  const auto what = fmt::format("resumes from step {}", run.checkpoint->step);
  const auto& cause = run.status.cause;
  if (!cause || cause->code != static_cast<int>(ExitCode::config_invalid)) return next_line(command, what);
  return fmt::format("{}correct the cause (see {}/spec.yaml), then {} ({})\n", kNext, run.pointer.run_dir,
                     command, what);
}

std::string render_next(const KnownRun& run) {
  const bool resumes = can_resume(run);
  const bool look = !resumes || run.status.state == RunState::failed;
  return (look ? render_look(run) : "") + (resumes ? render_rerun(run) : "");
}

/// What its restarts have cost.
std::string render_restarts(const KnownRun& run) {
  if (!run.report || run.report->attempts.size() < 2) return {};
  const auto ratio = render_effective_ratio(*run.report);
  return fmt::format("  recovery: {}{}\n", render_recovery(*run.report),
                     ratio.empty() ? "" : "; effective training time " + ratio);
}

std::string ran_until_end(const RunStatus& status) {
  return render_running_time(status, status.ended.value_or(system_clock::time_point{}));
}

/// What shows the results of several points together.
std::string render_sweep_results(const KnownRun& run) {
  const auto good = std::ranges::count_if(
      run.points, [](const KnownRun& each) { return each.status.state == RunState::succeeded; });
  if (good < 2) return {};
  const auto& id = run.pointer.run_id;
  return next_line("ddpsubmit report " + id, "a page with the curves and results of all points") +
         next_line(fmt::format("ddpsubmit compare {}/0 {}/1", id, id), "how two points differ");
}

/// The table of its points says the rest.
std::string render_sweep_verdict(const KnownRun& run) {
  const auto& id = run.pointer.run_id;
  const auto& status = run.status;
  if (status.state == RunState::succeeded)
    return fmt::format("sweep {} succeeded in {}: {}\n", id, ran_until_end(status), status.message) +
           render_sweep_results(run);
  const auto point = std::ranges::find_if(
      run.points, [](const KnownRun& each) { return each.status.state != RunState::succeeded; });
  auto text = fmt::format("error: sweep {} {}\n", id, render_end(status));
  if (point != run.points.end())
    text += next_line("ddpsubmit describe " + point->pointer.run_id, "why this point did not succeed");
  return text + next_line("ddpsubmit rerun " + id, "the points that did not succeed") +
         render_sweep_results(run);
}

std::string render_success(const KnownRun& run) {
  auto text = fmt::format("run {} succeeded in {}\n", run.pointer.run_id, ran_until_end(run.status)) +
              render_restarts(run);
  if (run.checkpoint && run.checkpoint->parameters)
    text += fmt::format("  parameters: {}\n", run.checkpoint->parameters->string());
  return text;
}

std::string render_cause(const RunStatus& status) {
  if (!status.cause || status.cause->stderr_tail.empty()) return {};
  return status.cause->rank ? fmt::format("  last lines of rank {} on stderr:\n", *status.cause->rank) +
                                  quote_lines(status.cause->stderr_tail)
                            : quote_lines(status.cause->stderr_tail);
}

}  // namespace

std::string render_end(const RunStatus& status) {
  constexpr std::string_view kLimit = "the time limit was reached";
  const std::string_view message = status.message;
  if (status.state == RunState::timed_out)
    return "reached its time limit" + (message.starts_with(kLimit)
                                           ? std::string(message.substr(kLimit.size()))
                                       : message.empty() ? ""
                                                         : fmt::format(": {}", message));
  const bool by_others = status.state == RunState::cancelled || status.state == RunState::preempted;
  const auto words = fmt::format("{}{}", by_others ? "was " : "", name_of(status.state));
  if (message.starts_with(name_of(status.state)))
    return words + std::string(message.substr(name_of(status.state).size()));
  return words + (message.empty() ? "" : fmt::format(": {}", message));
}

std::string render_verdict(const KnownRun& run) {
  const auto& status = run.status;
  if (run.sweep) return render_sweep_verdict(run);
  if (status.state == RunState::succeeded) return render_success(run);
  return fmt::format("error: run {} {}\n", run.pointer.run_id, break_sentences(render_end(status))) +
         render_likely_cause(status) + render_cause(status) + render_restarts(run) + render_next(run);
}

}  // namespace ddp::cli
