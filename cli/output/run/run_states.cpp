#include "cli/output/run/run_states.hpp"

#include <fmt/format.h>

#include "cli/output/run/end_text.hpp"
#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/sweep_table.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"
#include "cli/store/report/time_spent.hpp"

namespace ddp::cli {
namespace {

using std::chrono::system_clock;

/// Of a run that waits, for how long; of others how long they ran.
std::string render_time_spent(const RunStatus& status, system_clock::time_point now) {
  const auto spent = time_spent_by(status, now);
  if (status.state != RunState::queued) return spent.ran ? render_elapsed(*spent.ran) : "-";
  if (spent.ran) return fmt::format("ran {}, waiting again", render_elapsed(*spent.ran));
  return spent.waited ? "waiting for " + render_short_time(*spent.waited) : "-";
}

std::string render_attempt_number(const RunStatus& status) {
  if (status.newest_attempt() <= 0 || is_final(status.state)) return {};
  const auto& newest = status.attempts.back();
  return fmt::format("attempt {}{}", newest.number,
                     newest.resumed_from ? fmt::format(", resumed from step {}", *newest.resumed_from) : "");
}

enum class NextSteps { told, left_out };

/// Why a run is in its state, and how far it is. Of one that has ended badly there is more to tell: the lines
/// below the first.
std::vector<std::string> render_details(const KnownRun& run, NextSteps next, system_clock::time_point now) {
  const auto& status = run.status;
  std::vector<std::string> lines{status.message};
  if (is_final(status.state)) lines = split_sentences(status.message);
  if (lines.empty()) lines.emplace_back();
  lines.front() = join_parts({lines.front(), render_expected_start(status, now),
                              render_attempt_number(status), render_news(run), render_live(run, now)});
  if (auto likely = render_likely_cause(status); !likely.empty())
    lines.insert(lines.begin() + 1, std::move(likely));
  if (next == NextSteps::left_out || status.state != RunState::failed) return lines;
  for (const auto& step : render_next_steps(run)) lines.push_back("next: " + step);
  return lines;
}

}  // namespace

std::string render_run_states(const std::vector<KnownRun>& runs, system_clock::time_point now,
                              std::optional<std::size_t> columns) {
  std::vector<std::vector<std::string>> rows{{"RUN", "STATE", "TIME", "DETAILS"}};
  for (const auto& run : runs) {
    const auto& status = run.status;
    const bool alone = runs.size() == 1 && !run.sweep;
    const auto details = render_details(run, alone ? NextSteps::told : NextSteps::left_out, now);
    rows.push_back(
        {run.pointer.run_id, words_of(status.state), render_time_spent(status, now), details.front()});
    for (auto line = details.begin() + 1; line != details.end(); ++line) rows.push_back({"", "", "", *line});
  }
  std::string text = render_table(columns ? wrap_last_column(rows, *columns) : rows);
  for (const auto& run : runs)
    if (run.sweep) text += '\n' + render_sweep_table(run, now, columns);
  return text;
}

}  // namespace ddp::cli
