#include "cli/output/run/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output/count_text.hpp"
#include "cli/output/time_text.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;

std::string render_short(milliseconds time) {
  return time < milliseconds(100) ? fmt::format("{} ms", time.count()) : render_elapsed(time);
}

std::string render_times(std::optional<milliseconds> detected, std::optional<milliseconds> stepped_again) {
  std::string text;
  if (detected) text = "detected in " + render_short(*detected);
  if (stepped_again)
    text +=
        fmt::format("{}first step again after {}", text.empty() ? "" : ", ", render_short(*stepped_again));
  return text;
}

bool has_several_times(const RunReport& report) {
  const auto count = [&](auto member) {
    return std::ranges::count_if(report.attempts,
                                 [=](const auto& attempt) { return (attempt.*member).has_value(); });
  };
  return count(&AttemptReport::detected_after) > 1 || count(&AttemptReport::stepped_again_after) > 1;
}

}  // namespace

std::string render_recovery(const RunReport& report) {
  if (report.attempts.size() < 2) return {};
  auto text = render_count(report.attempts.size(), "attempt") + ", " +
              (report.failures == 0 ? "no failure"
                                    : render_count(static_cast<std::size_t>(report.failures), "failure"));
  if (report.lost_steps) text += "; " + render_count(*report.lost_steps, "step") + " lost";
  const auto times = render_times(report.detected_after, report.stepped_again_after);
  if (times.empty()) return text;
  return text + "; " + times + (has_several_times(report) ? " (median)" : "");
}

std::string render_effective_ratio(const RunReport& report) {
  constexpr std::chrono::minutes kShortest{1};
  const auto ratio = report.wall_clock >= kShortest ? report.effective_ratio() : std::nullopt;
  return ratio ? fmt::format("{:.0f} %", *ratio * 100) : "";
}

std::string render_recovery(const AttemptReport& attempt) {
  return render_times(attempt.detected_after, attempt.stepped_again_after);
}

}  // namespace ddp::cli
