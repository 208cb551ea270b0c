#include "cli/report/page/headline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/count_text.hpp"
#include "cli/output/run/end_text.hpp"
#include "cli/output/run/progress_text.hpp"
#include "cli/output/run/report_text.hpp"
#include "cli/output/run/verdict.hpp"
#include "cli/output/time_text.hpp"
#include "cli/report/text/number_text.hpp"
#include "cli/store/report/time_spent.hpp"

namespace ddp::cli {
namespace {

using std::chrono::system_clock;

std::string first_line_of(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// A rerun or a requeue is no restart.
std::string render_restart_count(const RunStatus& status) {
  const auto attempts = status.attempts.size();
  const auto restarts =
      static_cast<std::size_t>(std::ranges::count(status.attempts, true, &AttemptStatus::restarted));
  if (attempts < 2) return {};
  return restarts + 1 == attempts ? "after " + render_count(restarts, "restart")
                                  : render_count(attempts, "attempt");
}

std::string render_success_of(const RunStatus& status, system_clock::time_point now) {
  const auto ran = render_running_time(status, now);
  const auto restarts = render_restart_count(status);
  return "succeeded" + (ran == "-" ? "" : " in " + ran) + (restarts.empty() ? "" : ", " + restarts);
}

std::string render_end_of(const RunStatus& status, system_clock::time_point now) {
  const auto ran = render_running_time(status, now);
  return words_of(status.state) + (ran == "-" ? "" : " after " + ran);
}

std::string render_now(const RunStatus& status) {
  return status.state == RunState::unknown ? "is in an unknown state" : "is " + words_of(status.state);
}

class KeyNumbers {
 public:
  void add(std::string label, std::string value, std::string note = {}) {
    if (!value.empty() && value != "-")
      numbers_.push_back({std::move(label), std::move(value), std::move(note)});
  }
  [[nodiscard]] std::vector<KeyNumber> take() { return std::move(numbers_); }

 private:
  std::vector<KeyNumber> numbers_;
};

std::string render_step(const KnownRun& run) {
  const auto step = reached_step(run);
  return step > 0 ? render_integer(step) : "";
}

std::string render_total(const KnownRun& run) {
  const auto total = run.progress ? run.progress->total_steps : std::nullopt;
  return total && *total > 0 ? "of " + render_integer(static_cast<std::int64_t>(*total)) : "";
}

std::string render_best(const ReportedRun& run) {
  const auto* metric = find_metric(run.series, metrics_kind::kEvaluate, "accuracy");
  if (metric == nullptr) return {};
  double best = metric->last;
  for (const auto& value : metric->values)
    if (value) best = std::max(best, value->highest);
  return best > metric->last ? "best " + render_number(best) : "";
}

void add_recovery(const KnownRun& run, KeyNumbers& numbers) {
  const auto attempts = run.status.attempts.size();
  if (attempts == 0) return;
  const auto failures = run.report ? run.report->failures : 0;
  numbers.add("Restarts", std::to_string(attempts - 1),
              failures == 0 ? "" : render_count(static_cast<std::size_t>(failures), "failure"));
  if (!run.report) return;
  if (run.report->lost_steps && *run.report->lost_steps > 0)
    numbers.add("Lost steps", render_integer(static_cast<std::int64_t>(*run.report->lost_steps)),
                "done again");
  numbers.add("ETTR", render_effective_ratio(*run.report), "effective training time");
}

}  // namespace

std::string render_headline(const KnownRun& run, system_clock::time_point now) {
  const auto& status = run.status;
  const auto what = status.state == RunState::succeeded ? render_success_of(status, now)
                    : is_final(status.state)            ? render_end_of(status, now)
                                                        : render_now(status);
  return fmt::format("{} {} {}", run.sweep ? "Sweep" : "Run", run.pointer.run_id, what);
}

std::string render_story(const KnownRun& run) {
  const auto& status = run.status;
  if (status.state == RunState::succeeded) return {};
  if (is_final(status.state)) return first_line_of(split_sentences(render_end(status)).front());
  return first_line_of(join_parts({status.message, render_news(run)}));
}

std::string render_last(const ReportedRun& run, std::string_view kind, std::string_view metric) {
  const auto* found = find_metric(run.series, kind, metric);
  return found == nullptr ? "" : render_number(found->last);
}

std::string render_throughput(const ReportedRun& run) {
  const auto* records = find_kind(run.series, metrics_kind::kTrain);
  const auto* metric = records == nullptr ? nullptr : find_metric(*records, "samples_per_second");
  if (metric == nullptr) return {};
  const auto mean = join_values(metric->values, records->buckets, 1);
  return mean.empty() || !mean.front() ? "" : render_number(mean.front()->mean);
}

std::vector<KeyNumber> key_numbers_of(const ReportedRun& run, system_clock::time_point now) {
  using namespace metrics_kind;
  const auto& known = run.run;
  const auto spent = time_spent_by(known.status, now);
  KeyNumbers numbers;
  const bool is_rerun = known.report && known.report->attempts.size() < known.status.attempts.size();
  numbers.add("Duration", render_span(spent.ran), is_rerun ? "since the newest start" : "");
  if (spent.waited && *spent.waited >= std::chrono::seconds(1))
    numbers.add("Waited", render_span(spent.waited), "in the queue");
  numbers.add("Steps", render_step(known), render_total(known));
  numbers.add("Training loss", render_last(run, kTrain, "loss"), "last record");
  numbers.add("Test loss", render_last(run, kEvaluate, "loss"), "last evaluation");
  numbers.add("Test accuracy", render_last(run, kEvaluate, "accuracy"), render_best(run));
  numbers.add("Throughput", render_throughput(run), "samples/s, mean");
  add_recovery(known, numbers);
  return numbers.take();
}

}  // namespace ddp::cli
