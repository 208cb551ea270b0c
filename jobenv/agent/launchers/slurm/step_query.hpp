#pragma once

#include <functional>
#include <memory>
#include <string>

#include "jobenv/agent/scheduler/tool_query.hpp"

namespace ddp::agent {

/// Asks squeue once whether a job has a step of head's agents, beside everything else. The step has the name
/// of the agents' program; steps of the user's own have other names.
class StepQuery {
 public:
  enum class Answer {
    gone,
    there,
    none,  ///< squeue failed: nobody knows
  };

  /// `agent`: the path of the program. `on_answer` is called once, from the loop; it may destroy the query.
  StepQuery(EventLoop& loop, const EnvMap& environment, const std::string& job_id, const std::string& agent,
            std::function<void(Answer)> on_answer);

 private:
  ToolQuery squeue_;
};

/// What the lines of `squeue --steps -o %j` mean.
[[nodiscard]] StepQuery::Answer parse_steps(const ToolAnswer& answer, const std::string& agent);

}  // namespace ddp::agent
