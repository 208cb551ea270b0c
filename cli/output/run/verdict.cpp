#include "cli/output/run/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/output/run/end_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/quoted_lines.hpp"
#include "cli/output/run/report_text.hpp"
#include "ddp/jobenv/shell_quote.hpp"
#include "jobenv/record/last_words.hpp"

namespace ddp::cli {
namespace {

using std::chrono::system_clock;

constexpr std::string_view kNext = "  next: ";

std::string next_line(std::string_view command, std::string_view what) {
  return fmt::format("{}{} ({})\n", kNext, command, what);
}

std::string render_next(const KnownRun& run) {
  std::string text;
  for (const auto& step : render_next_steps(run)) text += fmt::format("{}{}\n", kNext, step);
  return text;
}

/// With the other sentences below the first.
std::string render_end_lines(const RunStatus& status) {
  return fmt::format("{}\n", fmt::join(split_sentences(render_end(status)), "\n  "));
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
         next_line("ddpsubmit compare " + id, "a table of the points: what differs, and the last metrics");
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
  else if (run.checkpoint && run.checkpoint->is_sharded)
    text += fmt::format("  parameters: {}, one part of each rank\n", run.checkpoint->folder.string()) +
            next_line("ddpsubmit checkpoint merge " + run.pointer.run_id + " --output model.safetensors",
                      "one file of all parameters");
  if (!run.event_files.empty())
    text +=
        fmt::format("  tensorboard: tensorboard --logdir {}\n", quote_on_one_line(run.event_files.string()));
  return text;
}

/// The likely cause, and the end of what the rank to blame has said. Of lines that have just been shown the
/// one that matters is enough, and of lines that are quoted it needs no mention.
std::string render_cause(const KnownRun& run) {
  const auto& cause = run.status.cause;
  if (!cause) return {};
  const bool quotes = !run.stderr_shown && !cause->stderr_tail.empty();
  const bool is_quoted = quotes && likely_cause_of(*cause) == find_last_words(cause->stderr_tail);
  const auto likely = is_quoted ? "" : render_likely_cause(run.status);
  std::string text = likely.empty() ? "" : "  " + likely + '\n';
  if (!quotes) return text;
  if (cause->rank) text += fmt::format("  last lines of rank {} on stderr:\n", *cause->rank);
  return text + quote_lines(cause->stderr_tail);
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
  return fmt::format("error: run {} {}", run.pointer.run_id, render_end_lines(status)) + render_cause(run) +
         render_restarts(run) + render_next(run);
}

}  // namespace ddp::cli
