#include "cli/spec/hang_rule.hpp"

#include <fmt/format.h>

#include "jobenv/config/scalar.hpp"
#include "jobenv/record/plan/waits.hpp"

namespace ddp::cli {
namespace {

std::string render_what_follows(const RunSpec& spec) {
  const int restarts = spec.max_restarts();
  if (restarts == 0) return "ends the run as failed (fault_tolerance.max_restarts is 0)";
  return fmt::format("restarts the run, at most {} time{} in a row without {}", restarts,
                     restarts == 1 ? "" : "s", spec.train ? "a newer checkpoint" : "a new step");
}

}  // namespace

std::string render_hang_rule(const RunSpec& spec) {
  const auto timeout = spec.hang_timeout();
  if (!timeout) return "hang_timeout off: hangs are not detected";
  if (spec.train)
    return fmt::format("a step longer than {} counts as a hang and {} (fault_tolerance.hang_timeout: {})",
                       render_duration(*timeout), render_what_follows(spec),
                       spec.fault_tolerance.hang_timeout);
  if (spec.fault_tolerance.hang_timeout == "auto")
    return fmt::format(
        "hang_timeout auto: a rank that does nothing for {}, or does not finish a reported step, is reported "
        "as hung; the run continues",
        render_duration(std::chrono::duration_cast<std::chrono::seconds>(Waits{}.idle)));
  return fmt::format(
      "hang_timeout {0}: a hang {1}. It is a hang if all ranks do nothing for {0}, one rank does nothing "
      "while others wait for it, or a reported step takes longer than {0}",
      render_duration(*timeout), render_what_follows(spec));
}

}  // namespace ddp::cli
