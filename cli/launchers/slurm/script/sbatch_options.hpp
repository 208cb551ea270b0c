#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/spec/run_spec.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// One long option of sbatch, or of srun, without the dashes. Without a value it is a flag.
struct SbatchOption {
  std::string name;
  std::string value;
  std::vector<std::string> keys = {};  ///< paths of the values in the spec that it is made of
  std::string why = {};                ///< of an option, or of a part of it, that no key sets

  bool operator==(const SbatchOption&) const = default;
};

/// What a job array adds.
struct SbatchArray {
  std::string tasks;           ///< "0-4,7"
  std::optional<int> at_once;  ///< how many may run at the same time
  std::string after;           ///< the job that has to end first; empty: none
};

struct SbatchOptionInput {
  const RunSpec& spec;
  const RunFolder& folder;
  std::string work_dir;
  std::string token;  ///< for --comment: finds the job again when sbatch's answer is lost
  std::optional<SbatchArray> array = std::nullopt;  ///< of a sweep
};

/// All options for sbatch, those of `slurm.options` last. Refuses control characters in any value, and what
/// check_option_name refuses under `slurm.options`; the control characters also in those of srun. Pure.
[[nodiscard]] Expected<std::vector<SbatchOption>> make_sbatch_options(const SbatchOptionInput& input);

/// Those of `slurm.srun_options`. Pure.
[[nodiscard]] std::vector<SbatchOption> srun_options_of(const RunSpec& spec);

/// `--name=value`, for an argv.
[[nodiscard]] std::string render_argument(const SbatchOption& option);
/// `--name=value` for a line after `#SBATCH`, quoted as sbatch reads it.
[[nodiscard]] std::string render_directive(const SbatchOption& option);

}  // namespace ddp::cli
