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
      return {.found = "synchronized"};
    case ClockState::unsynchronized:
      return {.verdict = Verdict::warning,
              .found = "nothing keeps it right, says the kernel",
              .advice = "run an NTP client, such as chronyd; in a container that of the host counts"};
    case ClockState::unknown:
      break;
  }
  return {.verdict = Verdict::skipped, .found = "the kernel does not tell"};
}

Finding judge_node_clock(double offset_seconds, double uncertainty_seconds) {
  const double apart = std::max(std::abs(offset_seconds) - uncertainty_seconds, 0.0);
  Finding finding{.found = fmt::format("{}{} from head's, give or take {}", offset_seconds < 0 ? "" : "+",
                                       render_seconds(offset_seconds), render_seconds(uncertainty_seconds))};
  if (apart < kMisleadingSeconds) return finding;
  finding.verdict = apart < kHarmfulSeconds ? Verdict::warning : Verdict::error;
  finding.advice =
      "the clocks of the nodes must be kept right, by chronyd for example: tell the administrators";
  return finding;
}

}  // namespace ddp::cli
