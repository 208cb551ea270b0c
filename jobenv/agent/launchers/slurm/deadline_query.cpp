#include "jobenv/agent/launchers/slurm/deadline_query.hpp"

#include "jobenv/agent/launchers/slurm/slurm_job.hpp"

namespace ddp::agent {

DeadlineQuery::DeadlineQuery(EventLoop& loop, const EnvMap& environment, const std::string& job_id,
                             OnAnswer on_answer)
    : squeue_(loop, {"squeue", "-h", "-j", job_id, "-o", "%e"}, environment_of_tools(environment),
              [on_answer = std::move(on_answer)](const ToolAnswer& answer) {
                if (const auto deadline = parse_slurm_time(answer.text)) on_answer(*deadline);
              }) {}

}  // namespace ddp::agent
