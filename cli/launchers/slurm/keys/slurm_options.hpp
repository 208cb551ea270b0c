#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/launchers/launcher_options.hpp"

namespace ddp::cli {

struct SlurmOptions final : LauncherOptionsOf<SlurmOptions> {
  static constexpr std::string_view kLauncher = "slurm";

  std::optional<std::string> partition, account, qos, reservation, constraint, nodelist, exclude, gres,
      mail_user, mail_type, comment, dependency, exclusive;
  std::optional<std::int64_t> segment;       ///< nodes that are to be close to each other
  std::optional<std::string> output;         ///< pattern of a link to the log of rank 0, absolute
  std::vector<std::string> setup;            ///< lines of shell for the batch script
  std::optional<std::string> template_file;  ///< absolute; instead of the built-in template
  std::map<std::string, std::string>
      options;               ///< further long options of sbatch, without the dashes; an empty value: a flag
  std::string mpi = "none";  ///< of srun: none, pmix, pmi2, cray_shasta
  std::map<std::string, std::string> srun_options;  ///< the same, of the srun that starts the agents

  /// That of `options`; empty: the name of the run.
  [[nodiscard]] std::string job_name() const;

  void describe(Fields& fields) override;
  [[nodiscard]] std::vector<std::string> setup_lines() const override { return setup; }
  bool operator==(const SlurmOptions&) const = default;
};

}  // namespace ddp::cli
