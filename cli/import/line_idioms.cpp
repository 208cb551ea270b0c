#include "cli/import/line_idioms.hpp"

#include <algorithm>
#include <array>

#include "cli/spec/owned_variables.hpp"

namespace ddp::cli {
namespace {

struct CompoundRow {
  std::string_view word;
  CompoundAdvice advice;
};

constexpr std::string_view kOwnFile =
    "move these lines into a file of their own, and write 'source FILE' in their place";
constexpr std::string_view kSweepOrFiles =
    "for several values of an argument use a job array, or a sweep in the YAML; move other loops into a file "
    "of "
    "their own, and write 'source FILE' in their place";

constexpr std::array kCompounds = {
    CompoundRow{"for", {"a loop", kSweepOrFiles}},
    CompoundRow{"while", {"a loop", kSweepOrFiles}},
    CompoundRow{"until", {"a loop", kSweepOrFiles}},
    CompoundRow{"select", {"a menu", "decide before you submit"}},
    CompoundRow{"if", {"a condition", kOwnFile}},
    CompoundRow{"case", {"a condition", kOwnFile}},
    CompoundRow{"function", {"a function", kOwnFile}},
    CompoundRow{"{", {"a group of commands", "write its lines without the brackets"}},
    CompoundRow{"(", {"a group of commands", "write its lines without the brackets"}},
};

struct CommandRow {
  std::string_view program;
  std::string_view advice;
};

constexpr std::array kRefusedCommands = {
    CommandRow{"trap",
               "remove it; for a restart after the time limit set fault_tolerance.requeue and signal"},
    CommandRow{"exit", "remove it: a run ends with the exit code of its ranks"},
    CommandRow{"return", "remove it"},
    CommandRow{"wait", "remove it, and the '&' of the lines before"},
    CommandRow{"sbatch", "submit the other job yourself; slurm.dependency lets one job wait for another"},
    CommandRow{"scancel", "remove it: `ddpsubmit cancel` cancels a run"},
    CommandRow{"salloc", "remove it: ddpsubmit submits a job of its own"},
    CommandRow{"ssh", "remove it: set-up lines run on the first node, and ranks run on all nodes"},
    CommandRow{"pushd", "write cd in its place"},
    CommandRow{"popd", "write cd in its place"},
    CommandRow{"shift", "write the arguments into the script"},
    CommandRow{"getopts", "write the arguments into the script"},
};

constexpr std::string_view kRemoveLine =
    "remove it; `ddpsubmit status` and `describe` say how and when the run ended";

constexpr std::array kLaterLines = {
    CommandRow{"srun", "write one file for each srun; slurm.dependency lets one job wait for another"},
    CommandRow{"wait", "remove it"},
    CommandRow{"exit", "remove it: a run ends with the exit code of its ranks"},
    CommandRow{"echo", kRemoveLine},
    CommandRow{"date", kRemoveLine},
    CommandRow{"printf", kRemoveLine},
    CommandRow{"sacct", kRemoveLine},
    CommandRow{"seff", kRemoveLine},
};

constexpr std::string_view kOtherLaterLine =
    "move it into a script for notify.command, or into a job of its own with slurm.dependency: afterok:JOB";

constexpr std::array<std::string_view, 5> kSetBySlurm = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                                         "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
                                                         "ZE_AFFINITY_MASK"};
constexpr std::array<std::string_view, 9> kReaders = {"source", ".",     "eval",       "module", "ml",
                                                      "conda",  "mamba", "micromamba", "spack"};
constexpr std::array<std::string_view, 5> kPlaces = {"RANK", "LOCAL_RANK", "NODE_RANK", "GROUP_RANK",
                                                     "ROLE_RANK"};

template <std::size_t N>
const CommandRow* find_row(const std::array<CommandRow, N>& rows, std::string_view program) {
  const auto* found = std::ranges::find(rows, program, &CommandRow::program);
  return found == rows.end() ? nullptr : found;
}

template <std::size_t N>
bool names(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

}  // namespace

CompoundAdvice advice_on_compound(std::string_view word) {
  const auto* found = std::ranges::find(kCompounds, word, &CompoundRow::word);
  return found == kCompounds.end() ? CompoundAdvice{"a group of commands", kOwnFile} : found->advice;
}

const std::string_view* find_refused_command(std::string_view program) {
  const auto* row = find_row(kRefusedCommands, program);
  return row == nullptr ? nullptr : &row->advice;
}

std::string_view advice_on_later_line(std::string_view program) {
  const auto* row = find_row(kLaterLines, program);
  return row == nullptr ? kOtherLaterLine : row->advice;
}

std::string_view reason_of_exported(std::string_view name) {
  if (name == "SRUN_CPUS_PER_TASK") return "ddpsubmit gives --cpus-per-task to srun itself";
  if (name == "SLURM_MPI_TYPE") return "slurm.mpi takes its place";
  if (name == "SLURM_EXPORT_ENV") return "ddpsubmit passes the environment of the set-up to the ranks";
  if (is_owned_variable(name) && !name.starts_with("SLURM_")) return "ddpsubmit sets it for each rank";
  return {};
}

bool is_set_by_slurm(std::string_view name) {
  return names(kSetBySlurm, name) || name.starts_with("SLURM_") || name.starts_with("SRUN_") ||
         name.starts_with("PMI");
}

bool reads_other_lines(std::string_view program) {
  return names(kReaders, program);
}

bool is_place_of_rank(std::string_view name) {
  return names(kPlaces, name);
}

}  // namespace ddp::cli
