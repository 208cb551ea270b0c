#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launch/explained_line.hpp"
#include "cli/launchers/host_key_policy.hpp"
#include "cli/launchers/launcher_row.hpp"
#include "cli/spec/run_spec.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"
#include "cli/system/system.hpp"
#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/plan/launch_plan.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// The points of a sweep that one submission is for. In a queue they are the tasks of an array.
struct SweepPart {
  int first_point = 0;         ///< task 0 stands for it
  std::vector<int> tasks;      ///< sorted; task T stands for point first_point + T
  std::optional<int> at_once;  ///< how many may run at the same time
  std::string after;           ///< the job that has to end first; empty: none
};

[[nodiscard]] std::vector<int> points_of(const SweepPart& part);

/// `points`, sorted, in parts whose tasks stay below `task_limit`. Pure.
[[nodiscard]] std::vector<SweepPart> split_points(const std::vector<int>& points, int task_limit);

/// A run that is checked and complete; its folder is written before it is submitted.
struct LaunchRequest {
  RunSpec spec;
  LaunchPlan plan;
  RunFolder folder;
  EnvMap environment;                            ///< what the job starts with
  std::string token;                             ///< tells this submission from all others
  int input = -1;                                ///< descriptor that rank 0 reads as stdin; -1: /dev/null
  std::optional<SweepPart> part = std::nullopt;  ///< of a sweep, whose folder `folder` then is
};

/// What can be told of a run before anybody is asked to start it.
struct Preflight {
  Errors errors;                      ///< why it cannot work
  std::vector<std::string> warnings;  ///< what it gets less strictly than it asks for, one line each
};

/// What a launcher says of a run that it has started.
struct Submission {
  std::string job_id;
  std::string cluster;                  ///< empty: the default one
  std::optional<ProcessId> head;        ///< when the launcher has started it
  std::vector<std::string> twins = {};  ///< other jobs of the same submission, which had to be cancelled
  std::optional<Error> doubt = {};      ///< why there may be more than this one job
  /// An attached run stops when this is closed. Head writes into it what it could not write into the run
  /// folder.
  FileDescriptor attachment;
};

/// A submission that left no answer.
struct LostJob {
  std::string token;
  RunFolder folder;                                            ///< where its job writes its log
  std::optional<std::chrono::system_clock::time_point> since;  ///< when it began, if that is known
  int known_attempt = -1;                                      ///< the newest one that the ledger tells of
};

/// What the outside knows of a job whose id was lost.
enum class JobPresence { found, absent, unknown };
struct JobSighting {
  JobPresence presence = JobPresence::unknown;
  std::string job_id = {};              ///< when it was found
  std::vector<std::string> twins = {};  ///< younger jobs with the same token
  std::string words = {};               ///< why it is unknown
};

/// What the outside says of a run whose ledger has no end.
struct Observation {
  RunState state = RunState::unknown;
  std::string message;
  bool suspended = false;        ///< its processes are stopped, and cannot act on a signal
  bool unanswered = false;       ///< the scheduler was asked and did not answer
  std::string log = {};          ///< a file in logs/ whose end says more; empty: none
  std::string_view source = {};  ///< a constant: who proved an end; empty: more may be known later
  /// Of an end that only follows from the absence of the job: it counts once the run has given no sign of
  /// life for so long. nullopt: the end was seen.
  std::optional<std::chrono::seconds> counts_after = {};
  std::optional<std::chrono::system_clock::time_point> expected_start = {};  ///< of a run that waits
  std::optional<std::chrono::system_clock::time_point> ended = {};           ///< nullopt: nobody knows when
};

/// What JobQueue::release has found.
enum class Hold {
  none,      ///< there is nothing to release, now or soon
  released,  ///< it was held, and is no longer
  not_yet,   ///< the job has not left its nodes, or nobody answers: ask again
};

/// What a launcher can do whose scheduler has a queue of jobs.
class JobQueue {
 public:
  virtual ~JobQueue() = default;
  /// The script that submit hands over. Pure but for reading a template that the spec names.
  [[nodiscard]] virtual Expected<std::string> render_script(const LaunchRequest& request) const = 0;
  /// Every line of that script, with what made it.
  [[nodiscard]] virtual std::vector<ExplainedLine> explain_script(const LaunchRequest& request,
                                                                  const std::string& script) const = 0;
  /// What one submission of a sweep may hold: tasks below this number. Asks the outside.
  [[nodiscard]] virtual Expected<int> task_limit() = 0;
  /// The cluster that it submits to, as far as it has been told; asks nobody. Empty: not known, or none.
  [[nodiscard]] virtual std::string cluster() const { return {}; }
  /// What the scheduler calls the job of this run; empty: the name of the run. Pure.
  [[nodiscard]] virtual std::string job_name(const RunSpec&) const { return {}; }
  /// How long after its TERM the scheduler kills what is left of a job, as far as it has been told; asks
  /// nobody.
  [[nodiscard]] virtual std::optional<std::chrono::seconds> kill_wait() const { return std::nullopt; }
  /// Asks for the cluster.
  [[nodiscard]] virtual Expected<std::string> ask_cluster() { return cluster(); }
  /// For each run folder that has lost lines of its ledger, in their order, the jobs that wait or run and
  /// that are not told of in what is left. Asks the outside.
  [[nodiscard]] virtual Expected<std::vector<std::vector<std::string>>> find_unknown_jobs(
      std::span<const LostJob> lost) = 0;
  /// Has a requeued job, which the scheduler holds back for a while, started as soon as there is room.
  [[nodiscard]] virtual Hold release(const RunStatus&) { return Hold::none; }
};

/// Of a run whose head is not there any more and has recorded no end.
[[nodiscard]] std::string explain_death(const ProcessId& head, const RunFolder& folder);

/// What was brought into the run folder from the hosts of a run.
struct Fetched {
  std::optional<std::filesystem::path> checkpoint = {};  ///< the newest one, in the run folder
  std::size_t files = 0;                                 ///< that the run folder has now
  std::uint64_t bytes = 0;                               ///< that were copied
  std::vector<std::string> left_out = {};                ///< files that were not, and why: a line each
  Errors errors = {};                                    ///< of hosts whose files could not be had
};

/// What was done for a run that somebody follows.
struct Tending {
  std::vector<std::string> lines = {};  ///< what has been done since the last call
  bool goes_on = false;                 ///< of a run that has ended: there is more to wait for
};

/// What has become of the folders that hosts have of a run.
struct RemovedCopies {
  std::vector<std::string> from = {};  ///< hosts that have none any more
  Errors errors = {};                  ///< of the others
};

/// A way to run jobs. One object a command; not thread-safe.
class Launcher {
 public:
  virtual ~Launcher() = default;
  [[nodiscard]] virtual const LauncherRow& row() const = 0;
  /// What the run asks of this machine and cannot get. Asks nobody; empty when the run is not for this
  /// machine.
  [[nodiscard]] virtual Preflight preflight(const LaunchRequest&) const { return {}; }
  /// Asks the outside whether it would take this run; starts nothing. Nothing is found when nobody needs to
  /// be asked.
  [[nodiscard]] virtual Preflight check(const LaunchRequest&) { return {}; }
  /// Waits until no rank of an earlier attempt is left where the run, or its `part`, is to start: two
  /// trainings would write over each other's files. Writes nothing.
  [[nodiscard]] virtual Expected<void> await_no_earlier_ranks(const LaunchRequest&) { return {}; }
  /// Starts or queues the run. ExitCode::outcome_unknown when nobody can tell whether it was started: never
  /// to be repeated blindly. While a program that could still queue it lives, it keeps `lock`, a descriptor,
  /// open, even if this process dies; -1: none.
  [[nodiscard]] virtual Expected<Submission> submit(const LaunchRequest& request, Attachment attachment,
                                                    int lock) = 0;
  /// Looks for the jobs of submissions that left no answer: one sighting each, in their order. A
  /// launcher that does not override it knows nothing of them, and they stay unknown.
  [[nodiscard]] virtual std::vector<JobSighting> find_jobs(std::span<const LostJob> lost) {
    return std::vector<JobSighting>(lost.size());
  }
  /// One observation a run, in their order, with one question to the outside for all of them.
  [[nodiscard]] virtual std::vector<Observation> observe(std::span<const RunStatus> runs) = 0;
  /// Brings the records of runs up to date here, if they are kept elsewhere. Why some stay as they are.
  virtual Errors refresh(std::span<const RunPointer>) { return {}; }
  /// Brings the newest checkpoint and the files of output/ into the run folder, if they are kept elsewhere;
  /// nullopt: they are not.
  [[nodiscard]] virtual Expected<std::optional<Fetched>> fetch(const RunStatus&) { return std::nullopt; }
  /// Removes what hosts keep of the run of this folder, which has ended. Of a run that has its files here
  /// there is nothing.
  [[nodiscard]] virtual RemovedCopies remove_copies(const RunFolder&) { return {}; }
  /// Does what helps a run that somebody follows, without blocking, though the end of this object may wait
  /// for what was begun. Of a run that has ended it is called until nothing goes on.
  [[nodiscard]] virtual Tending tend(const RunStatus&) { return {}; }
  /// Asks runs to stop, all at once; does not wait for them. One result a run, in their order; a run that has
  /// ended already is no error.
  [[nodiscard]] virtual std::vector<Expected<void>> cancel(std::span<const RunStatus> runs) = 0;
  /// Writes a file where the head of a run that has one sees it; `path` is below the run folder.
  [[nodiscard]] virtual Expected<void> tell_head(const RunStatus& run, const std::string& path,
                                                 const std::string& text);
  /// Becomes readable when the run's head ends; nullopt when this machine cannot see that.
  [[nodiscard]] virtual std::optional<FileDescriptor> watch_end(const RunStatus&) { return std::nullopt; }
  /// nullptr: the launcher has no scheduler.
  [[nodiscard]] virtual JobQueue* queue() { return nullptr; }
};

/// Says a line to the user, or is empty.
using Note = std::function<void(std::string_view line)>;

/// What launchers are made of.
struct LauncherSeams {
  System system;
  EnvMap submitter;                                     ///< the environment of ddpsubmit
  Note note = {};                                       ///< says what takes long, while it does
  HostKeyPolicy host_keys = HostKeyPolicy::known_only;  ///< of ssh hosts
};

}  // namespace ddp::cli
