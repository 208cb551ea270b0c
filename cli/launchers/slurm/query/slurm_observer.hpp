#pragma once

#include "cli/launchers/slurm/query/job_table.hpp"
#include "cli/launchers/slurm/query/slurm_config.hpp"
#include "cli/launchers/slurm/query/slurm_tools.hpp"

namespace ddp::cli {

/// Asks Slurm about runs whose ledgers have no end: one question to squeue for all of them; one to scontrol
/// for all that squeue does not show, or shows in a state that may not last, and one for the exit codes of
/// those that have failed; one to sacct for those that the controller has forgotten, after one that tells
/// whether this is their cluster. Remembers since when Slurm is silent, and that nobody keeps accounts.
class SlurmObserver {
 public:
  explicit SlurmObserver(SlurmTools tools) : tools_(std::move(tools)) {}

  /// One observation a run, in their order.
  [[nodiscard]] std::vector<Observation> observe(std::span<const RunStatus> runs);
  /// The job ids of those of the runs whose jobs Slurm has, with one question.
  [[nodiscard]] Expected<std::vector<std::string>> find_jobs(std::span<const RunStatus> runs) const;

 private:
  enum class Accounting { maybe, none };
  using Open = std::vector<std::size_t>;  // places in runs_

  void ask_queue();
  void ask_exit_codes();
  void ask_controller();
  [[nodiscard]] bool controller_may_know_more() const;
  void ask_config();
  void ask_accounts();
  [[nodiscard]] Expected<JobTable> load_queue(const std::string& which) const;
  [[nodiscard]] Expected<JobTable> load_controller(const Open& places) const;
  [[nodiscard]] Expected<JobTable> load_accounts();
  void observe_open(std::string_view source, const SlurmJob& job, std::size_t place);
  void give_up(const Error& error);

  SlurmTools tools_;
  Accounting accounting_ = Accounting::maybe;
  std::optional<SlurmConfig> config_;
  std::optional<std::chrono::system_clock::time_point> silent_since_;  // as of the newest question
  std::optional<std::chrono::system_clock::time_point> silent_before_;
  // Of the call to observe that goes on:
  std::span<const RunStatus> runs_;
  std::vector<Observation> observations_;
  Open open_;                        // nobody has told their state yet
  Open without_exit_code_;           // have ended, in the words of squeue
  bool shown_ = false;               // squeue has shown one of those, too
  std::string_view missed_by_ = {};  // who was the last to know nothing of them
};

}  // namespace ddp::cli
