#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobenv/config/source_text.hpp"

namespace ddp::cli {

/// Where an option of sbatch or srun goes. Their letters, and whether they take values, are in
/// cli/launchers/slurm/keys.
enum class OptionMeaning {
  run_name,
  nodes,
  tasks,
  tasks_per_node,
  cpus_per_task,
  gpus,
  gpus_per_node,
  gpus_per_task,
  gres,
  memory,
  memory_per_cpu,
  memory_per_gpu,
  time,
  exclusive,
  requeue,
  signal,
  output,
  environment,
  array,
  folder,
  mail_type,    ///< several are added up
  job_key,      ///< slurm.KEY, with the name in `text`
  job_option,   ///< slurm.options
  step_option,  ///< slurm.srun_options
  not_needed,   ///< `text` says why
  refused,      ///< `text` says what to do
};

struct BatchOption {
  std::string_view name;  ///< without its dashes
  OptionMeaning in_sbatch = OptionMeaning::job_option;
  OptionMeaning in_srun = OptionMeaning::step_option;
  std::string_view text = {};
};

/// All options that have a meaning of their own, sorted by their names.
[[nodiscard]] std::span<const BatchOption> batch_options();

enum class BatchProgram { sbatch, srun };

/// A word of a command line, with where it stands.
struct PlacedWord {
  std::string text;  ///< a symbolic text
  Place place = {};
};

struct GivenOption {
  std::string name;   ///< the long one, without its dashes
  std::string value;  ///< a symbolic text
  OptionMeaning meaning = OptionMeaning::job_option;
  std::string_view text = {};  ///< that of the row
  Place place = {};

  /// "--nodes=2", as far as it is known.
  [[nodiscard]] std::string written() const;
};

/// Options up to the first word that is none. Long options that are not known belong to plug-ins, or to newer
/// versions: they need '=' where a word follows that may be their value. Letters that are not known are
/// errors.
struct OptionWords {
  std::vector<GivenOption> options = {};
  std::size_t used = 0;  ///< how many words
};
[[nodiscard]] OptionWords read_options(std::span<const PlacedWord> words, BatchProgram program,
                                       Errors& errors);

}  // namespace ddp::cli
