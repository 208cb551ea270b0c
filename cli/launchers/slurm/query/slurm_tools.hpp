#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// Slurm's own programs, run in an environment where nothing of the submitter's stands in for their options.
class SlurmTools {
 public:
  explicit SlurmTools(const LauncherSeams& seams)
      : system_(seams.system),
        submitter_(seams.submitter),
        note_(seams.note),
        silence_(std::make_shared<Silence>()) {}

  /// Whether this host has them at all.
  [[nodiscard]] Expected<void> find() const;
  /// A question, or an order to the controller; killed after 30 s. Where the controller has been silent a
  /// moment ago it is not asked: the answer is that silence.
  [[nodiscard]] Expected<CommandResult> ask(std::vector<std::string> argv) const;
  /// A question that somebody waits for at the keyboard; killed after two seconds.
  [[nodiscard]] Expected<CommandResult> ask_briefly(std::vector<std::string> argv) const;
  /// Asks for the start of a requeued `job` in two seconds (render_early_start).
  [[nodiscard]] Expected<CommandResult> start_early(const std::string& job) const;
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
  struct Silence {
    CommandResult result;
    std::optional<std::chrono::steady_clock::time_point> since;  ///< when it had been waited for
  };

  [[nodiscard]] Expected<CommandResult> ask_within(std::chrono::seconds timeout,
                                                   std::vector<std::string> argv) const;

  System system_;
  EnvMap submitter_;
  std::function<void(std::string_view)> note_;
  std::shared_ptr<Silence> silence_;  ///< of all copies
};

/// Whether a program of Slurm has heard nothing from the controller.
[[nodiscard]] bool is_silence(const CommandResult& result);

/// Why a program of Slurm has failed: its own words, in one line where they only say that there is no
/// slurm.conf.
[[nodiscard]] std::string explain_failure(const Expected<CommandResult>& result);
[[nodiscard]] std::string explain_failure(const std::string& slurm_stderr);
/// Whether they say that Slurm's programs are here, but nobody has told them of a cluster.
[[nodiscard]] bool says_no_configuration(std::string_view slurm_stderr);

/// What a program said, without line breaks and blanks at its end.
[[nodiscard]] std::string trim_end(std::string text);

}  // namespace ddp::cli
