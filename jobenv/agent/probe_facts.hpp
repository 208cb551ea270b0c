#pragma once

#include <filesystem>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/job_environment.hpp"
#include "jobenv/probe/node_facts.hpp"

namespace ddp::agent {

/// All that a node can say without its peers: everything but `network`. Leaves the file seen_file(job) for
/// the others. `trainer` may be empty. Starts processes; blocks for as long as the disks and they take.
[[nodiscard]] NodeFacts gather_node_facts(const JobEnvironment& job, const std::string& trainer,
                                          const EnvMap& env);

/// In the run folder: what the first rank of a node writes there, the nonce that head has put there.
[[nodiscard]] std::filesystem::path seen_file(const JobEnvironment& job, int rank);

}  // namespace ddp::agent
