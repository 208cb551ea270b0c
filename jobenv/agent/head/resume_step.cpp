#include "jobenv/agent/head/resume_step.hpp"

#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::agent {

std::uint64_t find_resume_step(const RunFolder& folder, const LaunchPlan& plan) {
  if (plan.program != ProgramKind::trainer || !plan.resumes) return 0;
  const auto checkpoint = find_latest_checkpoint(folder);
  return checkpoint ? checkpoint->step : 0;
}

}  // namespace ddp::agent
