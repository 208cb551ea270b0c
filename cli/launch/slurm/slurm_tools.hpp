#pragma once

#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// Slurm's own programs, run in an environment where nothing of the submitter's stands in for their options.
class SlurmTools {
 public:
  explicit SlurmTools(const LauncherSeams& seams)
      : system_(seams.system), submitter_(seams.submitter), note_(seams.note) {}

  /// Whether this host has them at all.
  [[nodiscard]] Expected<void> find() const;
  /// A question, or an order to the controller; killed after 30 s.
  [[nodiscard]] Expected<CommandResult> ask(std::vector<std::string> argv) const;
  /// sbatch, as `request` says; the job starts with its environment.
  [[nodiscard]] Expected<CommandResult> submit(CommandRequest request) const;
  /// Tells the user one line.
  void note(std::string_view line) const {
    if (note_) note_(line);
  }

  /// Who asks.
  [[nodiscard]] std::string user() const { return system_.host.user(); }
  [[nodiscard]] Clock& clock() const { return system_.clock; }

 private:
  System system_;
  EnvMap submitter_;
  std::function<void(std::string_view)> note_;
};

/// What a program said, without line breaks and blanks at its end.
[[nodiscard]] std::string trim_end(std::string text);

}  // namespace ddp::cli
