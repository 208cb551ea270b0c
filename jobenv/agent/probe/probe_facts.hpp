#pragma once

#include <filesystem>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/job_environment.hpp"
#include "jobenv/agent/probe/probe_arguments.hpp"
#include "jobenv/probe/node_facts.hpp"

namespace ddp::agent {

/// All that a node can say without its peers: everything but `network`. Leaves the file seen_file(job) for
/// the others. Starts the trainer; blocks for as long as the disks and it take. A program is looked for as
/// ranks are started: in PATH of `env`, or from the current folder, which is their work_dir.
[[nodiscard]] NodeFacts gather_node_facts(const JobEnvironment& job, const ProbeArguments& arguments,
                                          const EnvMap& env);

/// "'pyhton3' is not in PATH (/usr/bin:/bin)"; empty when a rank would find it.
[[nodiscard]] std::string find_program_problem(const std::string& program, const EnvMap& env);

/// In the run folder: what the first rank of a node writes there, the nonce that head has put there.
[[nodiscard]] std::filesystem::path seen_file(const JobEnvironment& job, int rank);

}  // namespace ddp::agent
