#pragma once

#include <span>

#include "cli/launchers/slurm/query/cluster_facts.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Whether the limits that a QOS may lift, MaxTime and MaxNodes of a partition, are held against a run.
enum class PartitionLimits { held, lifted };

/// Why a run of `spec` could never start on this cluster: every limit that it breaks, at its place, with
/// ExitCode::preflight_failed. Of several partitions one that takes the run is enough. Nodes that are down or
/// in use count as if they were not. Pure.
[[nodiscard]] Errors find_broken_limits(const RunSpec& spec, std::span<const NodeGroup> cluster,
                                        PartitionLimits limits);

/// Those of the default partition that a run without slurm.partition breaks: another one may be chosen for
/// it. Pure.
[[nodiscard]] Errors find_broken_limits_of_default(const RunSpec& spec, std::span<const NodeGroup> cluster);

/// Whether one of the QOS that `sacctmgr --parsable2 show qos format=name,flags` lists lifts them. Pure.
[[nodiscard]] bool some_qos_lifts_limits(std::string_view list);

}  // namespace ddp::cli
