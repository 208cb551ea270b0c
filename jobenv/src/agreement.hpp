#pragma once

#include "ddp/jobenv/job_environment.hpp"
#include "variable_reader.hpp"

namespace ddp {

/// Whether ranks, nodes, tasks per node and host names of `job` agree with each other. Notes in `reader` what
/// does not.
void check_agreement(const JobEnvironment& job, VariableReader& reader);

}  // namespace ddp
