#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// What one of Slurm's tools says of a job.
struct SlurmJob {
  std::string word;          ///< its state in Slurm's words: RUNNING, COMPLETING, CANCELLED by 0, …
  std::string reason = {};   ///< why it waits, or None
  std::string comment = {};  ///< with the token of its submission, if the site leaves it there
  std::string user = {};
  std::string name = {};
  std::optional<std::chrono::system_clock::time_point> start = {};      ///< expected while it waits
  std::optional<std::chrono::system_clock::time_point> end = {};        ///< expected until it has ended
  std::optional<std::chrono::system_clock::time_point> submitted = {};  ///< or requeued
  /// Of the oldest row that the tool shows of it.
  std::optional<std::chrono::system_clock::time_point> first_submitted = {};
  std::optional<bool> may_requeue = {};  ///< nullopt: the tool does not tell
  int restarts = 0;                      ///< told by scontrol only
  std::optional<int> exit_code = {};     ///< of the batch script; told by scontrol only

  bool operator==(const SlurmJob&) const = default;
};

/// Jobs by their ids: 12, 12_3 for a task of an array, 12_[1-9:2,20%4] for tasks that share a row.
class JobTable {
 public:
  /// A row that comes later replaces one of the same id.
  void add(std::string_view id, SlurmJob job);
  /// The job of the run, by its id. None when a job of that id is another submission's: ids are reused. The
  /// token in its comment tells that; where a site writes its own comments, the job's user, name and time of
  /// submission do.
  [[nodiscard]] const SlurmJob* find(const RunStatus& run) const;
  /// Whether it has the job of the run; of a run whose job is a whole array, any of its tasks.
  [[nodiscard]] bool holds(const RunStatus& run) const;
  [[nodiscard]] std::size_t size() const { return jobs_.size() + shared_.size(); }

 private:
  struct SharedRow {
    std::string array;
    std::string tasks;  ///< what stands between the brackets
    SlurmJob job;
  };

  [[nodiscard]] const SlurmJob* find_id(std::string_view id) const;

  std::map<std::string, SlurmJob, std::less<>> jobs_;
  std::vector<SharedRow> shared_;
};

/// For `squeue --format`. The comment stands last: it may hold a '|'.
inline constexpr std::string_view kSqueueFormat = "%i|%A|%T|%S|%e|%r|%V|%u|%j|%k";
/// Lines in that format. Lines of another form are passed over.
[[nodiscard]] JobTable parse_squeue(std::string_view text);

/// `scontrol --oneliner show job`, of one job or of all.
[[nodiscard]] JobTable parse_scontrol_jobs(std::string_view text);

/// For `sacct --format`.
inline constexpr std::string_view kSacctFormat = "JobID,JobIDRaw,State,Submit,End,User,JobName,Comment";
/// `sacct --noheader --parsable2 --allocations --duplicates` in that format: a job that was requeued has
/// several rows, and the newest counts.
[[nodiscard]] JobTable parse_sacct(std::string_view text);

/// Whether squeue or scontrol said that there is no such job, rather than that they could not ask.
[[nodiscard]] bool says_no_such_job(std::string_view slurm_stderr);
/// Whether sacct said that nobody keeps accounts here, rather than that it could not ask.
[[nodiscard]] bool says_no_accounting(std::string_view slurm_stderr);

}  // namespace ddp::cli
