#include "cli/output/run/run_states.hpp"

#include <fmt/format.h>

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

/// Why a run is in its state, and how far it is.
std::string render_details(const KnownRun& run, system_clock::time_point now) {
  return join_parts({run.status.message, render_expected_start(run.status, now),
                     render_attempt_number(run.status), render_news(run), render_live(run, now)});
}

}  // namespace

std::string render_run_states(const std::vector<KnownRun>& runs, system_clock::time_point now) {
  std::vector<std::vector<std::string>> rows{{"RUN", "STATE", "TIME", "DETAILS"}};
  for (const auto& run : runs) {
    const auto& status = run.status;
    rows.push_back({run.pointer.run_id, words_of(status.state), render_time_spent(status, now),
                    render_details(run, now)});
  }
  std::string text = render_table(rows);
  for (const auto& run : runs)
    if (run.sweep) text += '\n' + render_sweep_table(run, now);
  return text;
}

}  // namespace ddp::cli
