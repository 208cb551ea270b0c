#pragma once

#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// Slurm's own programs, run in an environment where nothing of the submitter's stands in for their options.
class SlurmTools {
 public:
  explicit SlurmTools(const LauncherSeams& seams) : system_(seams.system), submitter_(seams.submitter) {}

  /// Whether this host has them at all.
  [[nodiscard]] Expected<void> find() const;
  /// A question, or an order to the controller; killed after 30 s.
  [[nodiscard]] Expected<CommandResult> ask(std::vector<std::string> argv) const;
  /// sbatch: the job starts with `environment`.
  [[nodiscard]] Expected<CommandResult> submit(std::vector<std::string> argv, const EnvMap& environment,
                                               std::chrono::seconds timeout) const;

  [[nodiscard]] Clock& clock() const { return system_.clock; }

 private:
  System system_;
  EnvMap submitter_;
};

/// What a program said, without line breaks and blanks at its end.
[[nodiscard]] std::string trim_end(std::string text);

}  // namespace ddp::cli
