#pragma once

#include "cli/import/config_document.hpp"
#include "cli/import/job_layout.hpp"
#include "cli/import/shell_scope.hpp"

namespace ddp::cli {

/// What a batch script finds in SLURM_NNODES and so on. Numbers that nobody asked for are empty there.
void set_slurm_values(const OptionsByMeaning& sbatch, ShellScope& scope);

/// What the tasks of a job array find in SLURM_ARRAY_TASK_COUNT, _MIN and _MAX.
void set_array_values(const std::vector<std::string>& tasks, ShellScope& scope);

enum class JobKind { single, array };

/// Where an option stands.
struct OptionSource {
  BatchProgram program = BatchProgram::sbatch;
  JobKind job = JobKind::single;
};

/// Writes the key of an option, but for those that count nodes, tasks, CPUs, GPUs and memory; or the note
/// that it needs none.
void write_batch_option(const GivenOption& option, const OptionSource& source, ConfigDocument& document,
                        Errors& errors);

}  // namespace ddp::cli
