#include "cli/spec/hang_rule.hpp"

#include <fmt/format.h>

#include "jobenv/config/scalar.hpp"
#include "jobenv/record/plan/waits.hpp"

namespace ddp::cli {
namespace {

std::string render_what_follows(const RunSpec& spec) {
  const int restarts = spec.max_restarts();
  if (restarts == 0) return "ends the run as failed (fault_tolerance.max_restarts is 0)";
  return fmt::format("restarts the run, up to {} time{} without progress", restarts,
                     restarts == 1 ? "" : "s");
}

}  // namespace

std::string render_hang_rule(const RunSpec& spec) {
  const auto timeout = spec.hang_timeout();
  if (!timeout) return "hang_timeout off: nobody looks for a hang";
  if (spec.train)
    return fmt::format("hang_timeout {}: a step that does not end for {} {}",
                       spec.fault_tolerance.hang_timeout, render_duration(*timeout),
                       render_what_follows(spec));
  if (spec.fault_tolerance.hang_timeout == "auto")
    return fmt::format(
        "hang_timeout auto: ranks that do nothing for {}, or do not finish a step that they tell, are "
        "reported; "
        "the run goes on",
        render_duration(std::chrono::duration_cast<std::chrono::seconds>(Waits{}.idle)));
  return fmt::format(
      "hang_timeout {0}: if all ranks do nothing for {0}, or one does nothing while others wait for it, or a "
      "step "
      "that the program tells does not end for {0}, that {1}",
      render_duration(*timeout), render_what_follows(spec));
}

}  // namespace ddp::cli
