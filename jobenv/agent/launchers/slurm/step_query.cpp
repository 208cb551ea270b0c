#include "jobenv/agent/launchers/slurm/step_query.hpp"

#include <filesystem>
#include <sstream>

#include "jobenv/agent/launchers/slurm/slurm_job.hpp"

namespace ddp::agent {

StepQuery::StepQuery(EventLoop& loop, const EnvMap& environment, const std::string& job_id,
                     const std::string& agent, std::function<void(Answer)> on_answer)
    : squeue_(loop, {"squeue", "--steps", "--noheader", "--jobs=" + job_id, "--format=%j"},
              environment_of_tools(environment),
              [agent, on_answer = std::move(on_answer)](const ToolAnswer& answer) {
                on_answer(parse_steps(answer, agent));
              }) {}

StepQuery::Answer parse_steps(const ToolAnswer& answer, const std::string& agent) {
  if (!answer.succeeded) return StepQuery::Answer::none;
  const std::string name = std::filesystem::path(agent).filename();
  std::istringstream lines(answer.text);
  for (std::string line; std::getline(lines, line);) {
    if (line == name) return StepQuery::Answer::there;
  }
  return StepQuery::Answer::gone;
}

}  // namespace ddp::agent
