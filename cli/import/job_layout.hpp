#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/import/batch_options.hpp"

namespace ddp::cli {

/// Options by their meaning; of several the last, but for those that Slurm adds up.
using OptionsByMeaning = std::map<OptionMeaning, GivenOption>;
[[nodiscard]] OptionsByMeaning by_meaning(const std::vector<GivenOption>& options);

/// A number or a text that the configuration gets, and the words of the script that it comes from.
template <class T>
struct LaidOut {
  T value{};
  std::string comment = {};
};

/// What the options of sbatch, with those of srun, ask for.
struct JobLayout {
  LaidOut<int> nodes{1};
  LaidOut<int> tasks_per_node{1};  ///< as srun starts them: ranks, or one torchrun per node
  std::optional<LaidOut<int>> cpus_per_task = {};
  std::optional<LaidOut<int>> gpus_per_node = {};
  std::optional<LaidOut<std::string>> gpu_type = {};
  std::optional<LaidOut<std::string>> gres = {};    ///< where not only GPUs are asked for
  std::optional<LaidOut<std::string>> memory = {};  ///< per node, as it stands in YAML
};

/// Counts nodes, tasks, CPUs and GPUs. What Slurm would choose itself is an error, because a configuration
/// says how many nodes it needs. Options of srun, of the same meaning, win over those of sbatch. Pure.
[[nodiscard]] JobLayout lay_out_job(const OptionsByMeaning& sbatch, const OptionsByMeaning& srun,
                                    Errors& errors);

/// The comment on the value of an option: "line 3: --nodes=2".
[[nodiscard]] std::string comment_on_option(const GivenOption& option);

/// A size as sbatch takes it ("64G", "500", "16GB"), as a size of a configuration; nullopt: it is none.
[[nodiscard]] std::optional<std::string> size_of_slurm(std::string_view text, std::int64_t times);

}  // namespace ddp::cli
