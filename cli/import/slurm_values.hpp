#pragma once

#include "cli/import/config_document.hpp"
#include "cli/import/job_layout.hpp"
#include "cli/import/shell_scope.hpp"

namespace ddp::cli {

/// What a batch script finds in SLURM_NNODES and so on. Numbers that nobody asked for are empty there.
void set_slurm_values(const OptionsByMeaning& sbatch, ShellScope& scope);

enum class JobKind { single, array };

/// Writes the key of an option, but for those that count nodes, tasks, CPUs, GPUs and memory; or the note
/// that it needs none.
void write_batch_option(const GivenOption& option, JobKind kind, ConfigDocument& document, Errors& errors);

}  // namespace ddp::cli
