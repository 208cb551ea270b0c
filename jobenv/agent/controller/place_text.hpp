#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ddp/jobenv/phase.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

/// The words for where in the program a rank is.
namespace ddp::agent {

/// "in step 121" or "in the checkpoint after step 120", of a rank that has finished `last_step`.
[[nodiscard]] std::string render_program_place(const PhaseName& phase,
                                               std::optional<std::uint64_t> last_step);

/// The same of a rank that has ended. A command may do anything between two steps: "after step 120". Empty:
/// it has finished no step, or does not tell.
[[nodiscard]] std::string render_end_place(const PhaseName& phase, std::optional<std::uint64_t> last_step,
                                           ProgramKind program);

}  // namespace ddp::agent
