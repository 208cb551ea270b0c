#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/import/config_document.hpp"
#include "cli/import/job_layout.hpp"
#include "cli/import/shell_scope.hpp"

namespace ddp::cli {

/// What a batch script finds in SLURM_NNODES and so on. Numbers that nobody asked for are empty there.
void set_slurm_values(const OptionsByMeaning& sbatch, ShellScope& scope);

/// What the tasks of a job array find in SLURM_ARRAY_TASK_COUNT, _MIN and _MAX.
void set_array_values(const std::vector<std::string>& tasks, ShellScope& scope);

/// What slurm.mpi has for a value of --mpi or SLURM_MPI_TYPE: pmix for pmix_v4; nullopt: it has none.
[[nodiscard]] std::optional<std::string> mpi_type_of(const std::string& value);
inline constexpr std::string_view kAdviceOnMpiType =
    "write pmix, pmi2, cray_shasta or none; for MPICH and Intel MPI remove it, and write rendezvous.backend: "
    "mpi "
    "into the YAML";

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
