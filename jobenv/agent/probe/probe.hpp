#pragma once

#include <functional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/probe/probe_arguments.hpp"

namespace ddp::agent {

/// One rank of `ddpsubmit doctor`. The first rank of a node prints the NodeFacts of its node, one line of
/// JSON on stdout. Where all ranks have met, each goes on as `ddptrain --probe`, in the same process: the
/// function does not return then. Returns the exit code of the process: 0 also where something was found.
[[nodiscard]] int run_probe(const ProbeArguments& arguments, const EnvMap& env,
                            const std::function<void(const std::string& line)>& log);

}  // namespace ddp::agent
