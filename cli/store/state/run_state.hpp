#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/system/host.hpp"
#include "jobenv/record/exit_record.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/record/run_state.hpp"

namespace ddp::cli {

struct RankStatus {
  int rank = 0;
  std::string host;
  int pid = 0;
  bool ended = false;
  std::optional<int> code;
  std::optional<int> signal;
  std::string ended_by;  ///< itself or agent
  std::string killed;    ///< descendants that had outlived its first process, and were killed; empty: none
  std::optional<std::uint64_t> last_step;
  std::string phase;
};

struct AttemptStatus {
  int number = 0;
  std::string host;                           ///< of head
  std::vector<std::string> hosts = {};        ///< by node rank
  int restart_count = 0;                      ///< how often the job had been requeued before
  std::string outcome;                        ///< empty while it has none
  std::string message;                        ///< how it ended, in words
  std::vector<std::string> remarks = {};      ///< on the nodes that it lost
  std::vector<std::string> warnings = {};     ///< of what its program most likely does not mean
  std::optional<std::uint64_t> last_step;     ///< the highest of its ranks
  bool restarted = false;                     ///< it followed a failure, in the same job
  std::optional<std::uint64_t> resumed_from;  ///< the step of the newest checkpoint when it began
  std::optional<std::chrono::system_clock::time_point> started;
  std::optional<std::chrono::system_clock::time_point> ended;
  std::optional<std::uint64_t> lost_steps;  ///< that the next attempt has to do again
  std::optional<Cause> cause = {};          ///< the first failure, without the tail of its stderr
  std::string likely_cause = {};            ///< of an attempt that another one has followed; empty: not known
  std::optional<std::chrono::system_clock::time_point> kill_ordered = {};  ///< of its ranks, by head
  std::string omp_num_threads = {};                                        ///< of its ranks; empty: not known
  std::vector<RankStatus> ranks;                                           ///< sorted by rank
};

/// How the message of a run begins whose ranks seem to hang.
inline constexpr std::string_view kSuspectedHang = "suspected hang: ";
/// How the message of a run begins that waits for hosts.
inline constexpr std::string_view kAwaitsHosts = "waits for ";

/// What is known of a run.
struct RunStatus {
  RunState state = RunState::unknown;
  std::string message;  ///< why it is in this state, in words; may be empty
  std::optional<Cause> cause;
  std::string name;     ///< of the run, which is its job's, too
  std::string run_dir;  ///< absolute
  std::string launcher;
  std::string job_name;     ///< what the scheduler calls the job; empty: `name`
  std::string cluster;      ///< of the scheduler, that the job is on; empty: not known
  std::string submit_host;  ///< of the newest submission; empty: not known
  std::string user;         ///< who submitted it; empty: not known
  std::string commit = {};  ///< of git, that was checked out where it was submitted; empty: not known
  std::string branch = {};  ///< the same
  std::string job_id;       ///< that head runs in; before it has started, of sbatch's answer
  std::vector<std::string> twin_jobs = {};  ///< other jobs of the newest submission that its records name
  std::string token;
  std::optional<int> exit_code;   ///< of head
  std::optional<ProcessId> head;  ///< of the newest submission
  bool cancel_requested = false;
  bool suspended = false;      ///< by the scheduler: its processes cannot act on a signal
  bool unanswered = false;     ///< the scheduler was asked about it and did not answer
  bool requeued = false;       ///< it waits for another start of the same job
  bool awaits_answer = false;  ///< the newest submission has an intent, and neither an answer nor a head
  std::vector<std::string> damage = {};  ///< what of the ledger cannot be read, in words
  bool submission_damaged =
      false;                  ///< lines behind the newest submission may tell of its answer, or of another
  bool head_damaged = false;  ///< lines of the ledgers of its heads cannot be read
  bool lost_success = false;  ///< its newest attempt has succeeded, and behind that head's last word is lost
  bool in_doubt = false;      ///< the records tell an end, and may hide a submission that is younger
  std::optional<std::chrono::system_clock::time_point> submitted;
  std::optional<std::chrono::system_clock::time_point> started;
  std::optional<std::chrono::system_clock::time_point> ended;  ///< nullopt: not yet, or nobody knows when
  std::optional<std::chrono::system_clock::time_point> expected_start = {};  ///< of a run that waits
  std::vector<AttemptStatus> attempts;
  std::vector<RunStatus> points = {};  ///< of a sweep, in order; empty: a single run

  /// Of the newest attempt; -1 without one.
  [[nodiscard]] int newest_attempt() const { return attempts.empty() ? -1 : attempts.back().number; }
};

/// From head's start to the end, or to `now` while the run goes on. nullopt: it has not started, or nobody
/// knows when it ended.
[[nodiscard]] std::optional<std::chrono::milliseconds> elapsed_of(const RunStatus& status,
                                                                  std::chrono::system_clock::time_point now);

/// What a run folder holds about the state of the run.
struct RunRecords {
  std::vector<LedgerEvent> ledger;
  bool confirmed = false;  ///< the exits of a success have been looked at before
  // Needed only when the ledger reports a success that nobody has confirmed:
  std::optional<LaunchPlan> plan;
  std::vector<ExitRecord> exits;  ///< of that attempt
  // Needed only when the ledger has damaged lines:
  std::optional<std::string> script_token = {};  ///< of the newest submission to a queue
  int highest_attempt = -1;                      ///< that anybody has claimed

  [[nodiscard]] int world_size() const { return plan ? plan->nodes * plan->tasks_per_node : 0; }
};

/// The attempt that head calls a success, if that is its last word. Only the exit records of all its ranks
/// confirm it.
[[nodiscard]] std::optional<int> find_reported_success(const std::vector<LedgerEvent>& ledger);

/// The state that the records alone tell, those of the newest submission for the state and of all for the
/// attempts. Head's word on an end counts, and without it that of the first observer who proved one for the
/// same attempt of the same submission. Without an end in the ledger it is queued (no head yet), running,
/// restarting (between two attempts of one head), or unknown (a submission without an answer), until somebody
/// looks at the outside. A run has succeeded only with the exit records of all ranks. Where damaged lines may
/// hide a submission behind the end it is unknown, and in doubt: not, where the newest submission is known
/// all the same, by its batch script, or because no head has claimed more attempts than the ledger tells of.
[[nodiscard]] RunStatus derive_status(const RunRecords& records);

}  // namespace ddp::cli
