#pragma once

#include <span>

#include "cli/launchers/slurm/query/cluster_facts.hpp"
#include "cli/launchers/slurm/query/slurm_tools.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What the limits of a cluster mean for a run.
enum class Limits {
  not_known,
  kept,          ///< it keeps them all
  nodes_hidden,  ///< it breaks some of the nodes that sinfo shows, and there are others
  lifted,        ///< it breaks none but such as its QOS may lift
  broken,        ///< it could never start
};

struct LimitsCheck {
  Limits limits = Limits::not_known;
  Errors broken = {};      ///< those that it breaks, as sinfo shows them
  Errors of_default = {};  ///< it keeps those of another partition, and names none
};

/// Holds the limits of all partitions (sinfo --all) against a run of `spec`. Asks Slurm further only when the
/// run breaks some: whether there are nodes that sinfo hides, and whether a QOS may lift them.
[[nodiscard]] LimitsCheck check_limits(const RunSpec& spec, std::span<const NodeGroup> cluster,
                                       const SlurmTools& tools);

}  // namespace ddp::cli
