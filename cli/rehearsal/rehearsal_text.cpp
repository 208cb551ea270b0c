#include "cli/rehearsal/rehearsal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output/count_text.hpp"
#include "cli/output/table.hpp"
#include "cli/output/time_text.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::size_t kMostNames = 5;  // of files in a line

/// "1.5 ms" where seconds would say nothing.
std::string render_measured(Seconds time) {
  if (time < Seconds(0.1)) return fmt::format("{:.1f} ms", time.count() * 1e3);
  return render_elapsed(std::chrono::duration_cast<std::chrono::milliseconds>(time));
}

std::string render_steps(std::int64_t steps) {
  return render_count(static_cast<std::size_t>(steps), "step");
}

std::string render_step(const std::optional<std::int64_t>& step) {
  return step ? fmt::format("after step {}", *step) : "at an unknown step";
}

std::string render_lost(const std::optional<std::int64_t>& steps) {
  return steps ? render_steps(*steps) + " lost" : "unknown number of steps lost";
}

std::string render_after(std::string_view what, const std::optional<std::chrono::milliseconds>& time) {
  return time ? fmt::format(", {} {}", what, render_measured(*time)) : std::string();
}

std::string render_stop(const StopReport& stop) {
  return fmt::format("{} sent after step {}: stopped {}; {}{}{}", stop.signal, stop.seen_step,
                     render_step(stop.last_step), render_lost(stop.lost_steps),
                     render_after("stopped in", stop.stopped_after),
                     render_after("started again, first step after", stop.stepped_again_after));
}

std::string render_kill(const KillReport& kill) {
  return fmt::format("rank {} killed {}: {}{}{}", kill.rank, render_step(kill.last_step),
                     render_lost(kill.lost_steps), render_after("detected in", kill.detected_after),
                     render_after("first step again after", kill.stepped_again_after));
}

std::string render_names(const std::vector<std::string>& files) {
  return files.size() > kMostNames ? render_count(files.size(), "file") : join_words(files, " and ");
}

std::string render_extra(const ResultComparison& result) {
  return result.extra.empty() ? "" : "; only the disturbed run has " + render_names(result.extra);
}

std::string render_result(const ResultComparison& result) {
  if (result.equal())
    return "equal to an undisturbed run, byte for byte: " + render_names(result.files) + render_extra(result);
  std::string text = "NOT equal to an undisturbed run: ";
  for (std::size_t i = 0; i < std::min(kMostNames, result.differences.size()); ++i)
    text += (i == 0 ? "" : "; ") + render_difference(result.differences[i]);
  if (result.differences.size() > kMostNames)
    text += fmt::format("; {} files differ in total", result.differences.size());
  return text + render_extra(result);
}

std::string render_fraction(Seconds interval, const RehearsalReport& report) {
  const auto costs = report.costs();
  if (!costs) return {};
  const double percent = std::min(100.0, lost_fraction(interval, *costs) * 100);
  return percent < 10 ? fmt::format("; {:.2g} % of the time lost", percent)
                      : fmt::format("; {:.0f} % of the time lost", percent);
}

std::string render_configured(const RehearsalReport& report) {
  const auto& [key, steps, time] = *report.configured;
  const auto costs = report.costs().value_or(FailureCosts{});
  const Seconds mean = mean_loss(time, costs), worst = worst_loss(time, costs);
  return fmt::format("{}: a failure costs {:.0f} steps ({}) on average, {:.0f} ({}) at worst{}",
                     key.empty() ? "no checkpoint before the end" : key, mean / report.step,
                     render_measured(mean), worst / report.step, render_measured(worst),
                     render_fraction(time, report));
}

/// What to do with it in the file.
std::string render_place(Seconds interval, const RehearsalReport& report) {
  if (interval / report.step >= static_cast<double>(report.steps_of_job))
    return ", which is longer than the job: the checkpoint at its end is enough";
  const auto& key = report.configured->key;
  return key.empty() ? "" : " instead of " + key.substr(0, key.find(':'));
}

std::string render_recommended(const RehearsalReport& report) {
  const auto interval = recommend_interval(report);
  if (!interval) return "unknown: no checkpoint was written in the background";
  const auto costs = *report.costs();
  return fmt::format("{} ({:.0f} steps){}{}; Young: {}, Daly: {}", render_interval_key(*interval),
                     std::floor(*interval / report.step), render_place(*interval, report),
                     render_fraction(*interval, report), render_measured(young_interval(costs)),
                     render_measured(daly_interval(costs)));
}

std::string render_costs(const RehearsalReport& report) {
  std::string text = fmt::format("step {}", render_measured(report.step));
  if (const auto& checkpoint = report.checkpoint)
    text += fmt::format(", checkpoint {} of stall and {} of writing in the background",
                        render_measured(checkpoint->stall), render_measured(checkpoint->write));
  if (const auto costs = report.costs()) text += fmt::format(", restart {}", render_measured(costs->restart));
  return text +
         fmt::format("; one failure every {} ({})", render_duration(report.mtbf),
                     report.mtbf_source == MtbfSource::option ? "--mtbf" : "assumed; set it with --mtbf");
}

/// The words of the command line that do the same again.
std::string render_options(const RehearsalReport& report) {
  const auto steps = report.configured ? fmt::format(" --steps {}", report.steps) : "";
  return fmt::format("--ranks {}{} --seed {}", report.ranks, steps, report.seed);
}

}  // namespace

std::string render_rehearsal(const RehearsalReport& report) {
  const auto scale = fmt::format("{} of {}, {}; to repeat: {}", report.ranks,
                                 render_count(static_cast<std::size_t>(report.ranks_of_job), "rank"),
                                 render_steps(report.steps), render_options(report));
  std::vector<std::vector<std::string>> lines{{"rehearsed", scale},
                                              {"stop", render_stop(report.stop)},
                                              {"kill", render_kill(report.kill)},
                                              {"result", render_result(report.result)}};
  if (report.configured) {
    lines.push_back({"costs", render_costs(report)});
    lines.push_back({"configured", render_configured(report)});
    lines.push_back({"recommended", render_recommended(report)});
  }
  return render_table(lines);
}

}  // namespace ddp::cli
