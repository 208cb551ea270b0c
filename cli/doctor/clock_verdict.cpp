#include "cli/doctor/clock_verdict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/doctor/amount_text.hpp"

namespace ddp::cli {
namespace {

constexpr double kMisleadingSeconds = 1;
constexpr double kHarmfulSeconds = 60;

}  // namespace

Finding judge_own_clock(ClockState state) {
  switch (state) {
    case ClockState::synchronized:
      return {.found = "synchronised"};
    case ClockState::unsynchronized:
      return {.verdict = Verdict::warning,
              .found = "the clock is not synchronised (no NTP)",
              .advice = "run an NTP client, such as chronyd; in a container, run it on the host"};
    case ClockState::unknown:
      break;
  }
  return {.verdict = Verdict::skipped, .found = "the kernel does not say whether the clock is synchronised"};
}

Finding judge_node_clock(double offset_seconds, double uncertainty_seconds) {
  const double apart = std::max(std::abs(offset_seconds) - uncertainty_seconds, 0.0);
  Finding finding{.found = fmt::format("{}{} from the head's clock, +/- {}", offset_seconds < 0 ? "" : "+",
                                       render_seconds(offset_seconds), render_seconds(uncertainty_seconds))};
  if (apart < kMisleadingSeconds) return finding;
  finding.verdict = apart < kHarmfulSeconds ? Verdict::warning : Verdict::error;
  finding.advice = "synchronise the clocks of the nodes, for example with chronyd: tell the administrators";
  return finding;
}

}  // namespace ddp::cli
