#include "cli/top/view/run_words.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/output/run/live_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/time_text.hpp"
#include "cli/store/report/time_spent.hpp"
#include "cli/top/model/run_facts.hpp"
#include "ddp/jobenv/progress_line.hpp"

namespace ddp::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::system_clock;

std::string head_line_of(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The column beside it says that.
std::string without_state(const std::string& message, RunState state) {
  const auto word = words_of(state);
  const auto rest = message.starts_with(word) ? message.substr(word.size()) : "";
  return rest.starts_with("; ") || rest.starts_with(": ") ? rest.substr(2) : message;
}

/// The column beside it has told the state: "3 of 3 points" in place of "3 succeeded".
std::string render_message(const RunStatus& status) {
  const auto count = status.points.size();
  if (count > 0 && status.message == fmt::format("{} {}", count, words_of(status.state)))
    return fmt::format("{0} of {0} point{1}", count, count == 1 ? "" : "s");
  return without_state(head_line_of(status.message), status.state);
}

/// "starts in about 12 min", or for how long it waits.
std::string render_wait(const KnownRun& run, system_clock::time_point now) {
  const auto& status = run.status;
  if (status.expected_start && *status.expected_start > now) {
    const auto left = duration_cast<milliseconds>(*status.expected_start - now);
    return fmt::format("starts in about {}", render_short_time(left));
  }
  const auto spent = time_spent_by(status, now);
  if (spent.ran) return fmt::format("ran {}, waiting again", render_short_time(*spent.ran));
  return spent.waited ? fmt::format("waiting for {}", render_short_time(*spent.waited)) : "";
}

std::string render_ended(const KnownRun& run, system_clock::time_point now) {
  if (!run.status.ended) return {};
  const auto ago = duration_cast<milliseconds>(now - *run.status.ended);
  return fmt::format("{} ago", render_age(ago));
}

/// What ranks use that tell no step.
std::string render_ranks(const LiveRecord& live) {
  auto text = live.summary.ranks == 1 ? std::string("1 rank") : fmt::format("{} ranks", live.summary.ranks);
  if (live.summary.cpu_percent) text += fmt::format(", {:.0f} % CPU each", *live.summary.cpu_percent);
  return text + fmt::format(", {} MiB", live.summary.memory_bytes >> 20);
}

}  // namespace

std::string render_state_word(const KnownRun& run) {
  if (is_stalled(run)) return "STALLED";
  if (run.status.suspended) return "suspended";
  if (run.status.state == RunState::failed) return "FAILED";
  if (run.status.state == RunState::timed_out) return "TIMED OUT";
  return words_of(run.status.state);
}

Style style_of_state(const KnownRun& run) {
  if (is_stalled(run)) return Style::bad;
  switch (run.status.state) {
    case RunState::running:
      return run.status.suspended ? Style::warn : Style::good;
    case RunState::failed:
    case RunState::timed_out:
      return Style::bad;
    case RunState::restarting:
    case RunState::preempted:
    case RunState::unknown:
      return Style::warn;
    case RunState::queued:
      return Style::accent;
    default:
      return Style::dim;
  }
}

std::string render_note(const KnownRun& run, system_clock::time_point now) {
  const auto& status = run.status;
  const auto message = render_message(status);
  if (status.state == RunState::queued) return join_parts({render_wait(run, now), message});
  if (is_final(status.state)) return join_parts({message, render_ended(run, now)});
  const bool told = status.state == RunState::running && message.empty() && run.live;
  return told ? render_ranks(*run.live) : message;
}

std::string render_warning(const KnownRun& run, system_clock::time_point now) {
  if (!run.live) return head_line_of(run.status.message);
  const auto late = ends_too_early(run, now) ? render_time_left(run, now) : "";
  return join_parts({head_line_of(run.status.message), late, render_straggler(*run.live)});
}

std::string render_loss(std::optional<double> loss) {
  if (!loss) return {};
  const double size = std::abs(*loss);
  if (!std::isfinite(*loss)) return "nan";
  return size != 0 && (size < 1e-3 || size >= 1e4) ? fmt::format("{:.1e}", *loss)
                                                   : fmt::format("{:.4f}", *loss);
}

std::string render_rate(std::optional<double> samples_per_second) {
  if (!samples_per_second || !(*samples_per_second >= 0) || *samples_per_second > 1e15) return {};
  if (*samples_per_second < 10) return fmt::format("{:.2f}", *samples_per_second);
  return with_thousands(static_cast<std::int64_t>(*samples_per_second));
}

}  // namespace ddp::cli
