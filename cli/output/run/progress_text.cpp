#include "cli/output/run/progress_text.hpp"

#include <fmt/format.h>

#include "cli/output/metric_text.hpp"
#include "cli/output/run/live_text.hpp"
#include "cli/output/time_text.hpp"
#include "cli/store/report/time_spent.hpp"

namespace ddp::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::system_clock;

/// "epoch 3, loss 0.0421", or as much of it as is known.
std::string render_metrics(const TrainingProgress& progress) {
  std::string text = progress.epoch ? fmt::format("epoch {}", *progress.epoch) : "";
  if (!progress.loss) return text;
  text += text.empty() ? "" : ", ";
  return text + (progress.kind == "evaluate" ? "test loss " : "loss ") + render_metric(*progress.loss);
}

std::int64_t step_of_loss(const TrainingProgress& progress) {
  const auto loss = progress.metrics.find("loss");
  return loss != progress.metrics.end() ? loss->second.step : progress.step;
}

/// Whether the text has these words, not as the beginning of "step 3201".
bool has_number(std::string_view text, std::string_view words) {
  const auto at = text.find(words);
  return at != text.npos && text.substr(at + words.size()).find_first_of("0123456789") != 0;
}

/// "at step 320", "after step 320" or "in step 321".
bool names_step(std::string_view text, std::int64_t step) {
  return has_number(text, fmt::format("step {}", step)) ||
         has_number(text, fmt::format("in step {}", step + 1));
}

/// The step, and what was told of it.
std::string render_step_and_metrics(const KnownRun& run) {
  const auto reached = reached_step(run);
  if (!run.progress) return reached > 0 ? render_step(reached, run) : "";
  if (const auto step = unlogged_step(run)) return render_step(*step, run);
  const auto& progress = *run.progress;
  const auto metrics = render_metrics(progress);
  auto text = render_step(reached, run);
  const auto told = step_of_loss(progress);
  if (!metrics.empty() && reached > told) {
    text += fmt::format(" ({} at step {})", metrics, told);
  } else if (!metrics.empty()) {
    text += ", " + metrics;
  }
  const bool earlier = progress.attempt < run.status.newest_attempt();
  return text + (earlier ? fmt::format(" in attempt {}", progress.attempt) : "");
}

/// While one may still do something about it.
std::string render_failed_checkpoint(const KnownRun& run) {
  const auto failed = run.progress ? run.progress->failed_checkpoint : std::nullopt;
  if (!failed || is_final(run.status.state)) return {};
  return fmt::format("the checkpoint of step {} could not be written: {}", failed->step, failed->reason);
}

}  // namespace

std::string render_progress(const KnownRun& run) {
  const auto failed = render_failed_checkpoint(run);
  const auto way = render_step_and_metrics(run);
  return failed.empty() ? way : way + "; " + failed;
}

std::string render_news(const KnownRun& run) {
  auto progress = render_progress(run);
  if (!names_step(run.status.message, reached_step(run))) return progress;
  const auto bracket = progress.find(" (");
  if (bracket != progress.npos && progress.ends_with(')'))
    return progress.substr(bracket + 2, progress.size() - bracket - 3);
  const auto behind = progress.find(", ");
  return behind == progress.npos ? "" : progress.substr(behind + 2);
}

std::string render_expected_start(const RunStatus& status, system_clock::time_point now) {
  if (!status.expected_start || *status.expected_start <= now) return {};
  return fmt::format("expected to start at {}, in {}", render_local_time(*status.expected_start),
                     render_short_time(duration_cast<milliseconds>(*status.expected_start - now)));
}

std::string render_running_time(const RunStatus& status, system_clock::time_point now) {
  const auto ran = time_spent_by(status, now).ran;
  return ran ? render_elapsed(*ran) : "-";
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : text;
}

std::string join_parts(std::initializer_list<std::string> parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() || part.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace ddp::cli
