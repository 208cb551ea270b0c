#include "jobenv/agent/head/resume_step.hpp"

#include <algorithm>

#include "jobenv/record/events/events.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::agent {

std::uint64_t find_resume_step(const RunFolder& folder, const LaunchPlan& plan) {
  if (plan.program != ProgramKind::trainer || !plan.resumes) return 0;
  const auto checkpoint = find_latest_checkpoint(folder);
  return checkpoint ? checkpoint->step : 0;
}

std::uint64_t find_furthest_step(const std::vector<LedgerEvent>& events) {
  std::uint64_t furthest = 0;
  for (const LedgerEvent& event : events) {
    if (is<event::SubmitIntent>(event)) furthest = 0;
    if (const auto ended = as<event::AttemptEnded>(event))
      furthest = std::max(furthest, ended->last_step.value_or(0));
  }
  return furthest;
}

}  // namespace ddp::agent
