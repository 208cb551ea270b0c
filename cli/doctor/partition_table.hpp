#pragma once

#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/launch/slurm/cluster_facts.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// The partitions of a cluster and their limits, as a table in the details; an error when a run of `spec`
/// (null: any) could never start there, with the first reason. Pure.
[[nodiscard]] Finding judge_partitions(const std::vector<NodeGroup>& cluster, const RunSpec* spec);

}  // namespace ddp::cli
