#pragma once

#include <optional>
#include <string>

#include "cli/launchers/slurm/query/slurm_tools.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// A warning where the srun of this host does not take `slurm.srun_options`: those of the nodes may know a
/// plug-in that this host lacks. Nothing is started. nullopt: it takes them, or cannot be asked.
[[nodiscard]] std::optional<std::string> find_srun_objection(const RunSpec& spec, const SlurmTools& tools);

}  // namespace ddp::cli
