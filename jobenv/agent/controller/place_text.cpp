#include "jobenv/agent/controller/place_text.hpp"

namespace ddp::agent {

std::string render_program_place(const PhaseName& phase, std::optional<std::uint64_t> last_step) {
  const std::string after = last_step ? " after step " + std::to_string(*last_step) : "";
  const auto known = phase.known();
  if (!known) return "in the phase '" + phase.text() + "'" + after;
  switch (*known) {
    case Phase::start:
      return "while starting";
    case Phase::checkpoint:
      return "in the checkpoint" + after;
    case Phase::evaluate:
      return "in the evaluation" + after;
    case Phase::done:
      return "while finishing" + after;
    case Phase::step:
      break;
  }
  return "in step " + std::to_string(last_step.value_or(0) + 1);
}

std::string render_end_place(const PhaseName& phase, std::optional<std::uint64_t> last_step,
                             ProgramKind program) {
  if (!last_step) return {};
  const bool between_steps = program == ProgramKind::command && phase.known() == Phase::step;
  if (between_steps || phase.known() == Phase::start) return "after step " + std::to_string(*last_step);
  return render_program_place(phase, last_step);
}

}  // namespace ddp::agent
