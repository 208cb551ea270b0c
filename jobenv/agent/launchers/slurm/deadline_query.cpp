#include "jobenv/agent/launchers/slurm/deadline_query.hpp"

#include "jobenv/agent/launchers/slurm/slurm_job.hpp"
#include "jobenv/record/files/file_tail.hpp"

namespace ddp::agent {

DeadlineQuery::DeadlineQuery(EventLoop& loop, const EnvMap& environment, const std::string& job_id,
                             OnAnswer on_answer)
    : squeue_(loop, {"squeue", "-h", "-j", job_id, "-o", "%e"}, environment_of_tools(environment),
              [on_answer = std::move(on_answer)](const ToolAnswer& answer) {
                const auto deadline = parse_slurm_time(std::string(last_line(answer.text)));
                if (deadline) on_answer(*deadline);
              }) {}

}  // namespace ddp::agent
