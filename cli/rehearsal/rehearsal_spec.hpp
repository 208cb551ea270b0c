#pragma once

#include <cstdint>
#include <optional>

#include "cli/spec/run_spec.hpp"
#include "cli/system/machine.hpp"

namespace ddp::cli {

/// Why `spec` cannot be rehearsed: of trainings only one that goes on from its checkpoints can. `ranks` is
/// what was asked for, nullopt: nothing.
[[nodiscard]] std::optional<Error> find_unrehearsable(const RunSpec& spec, std::optional<int> ranks);

/// How many ranks rehearse a job of that many: two, or its only one.
[[nodiscard]] int default_ranks(const RunSpec& spec);

/// The job at small scale: `ranks` ranks of this machine, with the batches that a rank of the job has. On a
/// machine without enough GPUs for it it trains on the CPU, unless train.device is cuda. No evaluations, no
/// time limit; it begins with a model of its own, not with train.checkpoint.path. A command is that of the
/// job, as long as its arguments say. Pure.
[[nodiscard]] RunSpec make_small_spec(const RunSpec& spec, int ranks, const MachineResources& machine);

/// One epoch of the small job, without checkpoints: it tells how long a step takes, and how many there are.
[[nodiscard]] RunSpec make_pace_spec(RunSpec small);

/// The small job. It restarts after a failure, even if the job would not.
[[nodiscard]] RunSpec make_rehearsal_spec(RunSpec small);

/// The same of a training: `steps` steps, with about ten checkpoints on the way, and a schedule that fits
/// into them.
[[nodiscard]] RunSpec make_rehearsal_spec(RunSpec small, std::int64_t steps);

}  // namespace ddp::cli
