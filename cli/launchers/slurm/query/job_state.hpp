#pragma once

#include "cli/launch/launcher.hpp"
#include "cli/launchers/slurm/query/job_table.hpp"

namespace ddp::cli {

/// What a job's state means for a run whose ledger has no end. Words that are not known give
/// RunState::unknown with the word.
[[nodiscard]] Observation interpret(const SlurmJob& job, const RunStatus& run);

/// Whether Slurm may yet requeue a job that it shows as ended: after the failure of a node or a preemption,
/// for three minutes, unless the job forbids it.
[[nodiscard]] bool may_be_requeued(const SlurmJob& job, std::chrono::system_clock::time_point now);

/// Whether the job has an exit code that the tool has not told, and that says more.
[[nodiscard]] bool lacks_exit_code(const SlurmJob& job);

/// A word of Slurm and the state that it means.
struct JobStateMeaning {
  std::string_view word;
  RunState state = RunState::unknown;
};
/// All words that interpret knows.
[[nodiscard]] std::vector<JobStateMeaning> known_job_states();

/// Of a run whose job Slurm no longer knows.
[[nodiscard]] Observation interpret_absence(const RunStatus& run);

}  // namespace ddp::cli
