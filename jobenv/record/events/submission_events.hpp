#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobenv/record/events/event_fields.hpp"

/// Events of ddpsubmit: what it submits, and asks of a run.
namespace ddp::event {

struct SubmitIntent {
  static constexpr const char* kName = "submit_intent";
  static constexpr const char* kWriter = "submit";
  static constexpr const char* kDoc = "ddpsubmit is about to submit the run, or points of a sweep";
  std::string token = {};
  std::string launcher = {};
  std::string host = {};
  std::string user = {};
  std::string cluster = {};
  std::vector<std::string> dropped = {};
  std::string commit = {};
  std::string branch = {};
  std::optional<int> first_point = {};
  std::string tasks = {};
  bool recovered = false;

  void describe(EventFields& fields) {
    fields.always({"token", "unique token of this submission"}, token);
    fields.always({"launcher", "name of the launcher"}, launcher);
    fields.always({"host", "host of ddpsubmit"}, host);
    fields.always({"user", "user who submits the run"}, user);
    fields.if_set({"cluster", "cluster that the run is submitted to, if the preflight found its name"},
                  cluster);
    fields.always({"dropped", "names of environment variables that are not passed to the job"}, dropped);
    fields.if_set({"commit", "git commit of the working directory of the ranks"}, commit);
    fields.if_set({"branch", "git branch; absent: no branch is checked out"}, branch);
    fields.if_set({"first_point", "for a sweep: number of the point of array task 0"}, first_point);
    fields.if_set({"tasks", "for a sweep: array tasks in the notation of Slurm, such as 0-4,7"}, tasks);
    fields.if_set(
        {"recovered",
         "never written to disk: marks an event that was rebuilt in memory because its line is damaged"},
        recovered);
  }
};

struct Submitted {
  static constexpr const char* kName = "submitted";
  static constexpr const char* kWriter = "submit; found-…";
  static constexpr const char* kDoc = "The launcher has accepted the submission";
  std::string launcher = {};
  std::string host = {};
  std::string token = {};
  std::string job_id = {};
  std::string cluster = {};
  std::vector<std::string> twins = {};
  std::optional<int> pid = {};
  Step pid_start = {};
  std::string boot_id = {};
  bool found = false;

  /// Its job and the twins of that.
  [[nodiscard]] std::set<std::string> jobs() const {
    std::set<std::string> jobs(twins.begin(), twins.end());
    jobs.insert(job_id);
    jobs.erase("");
    return jobs;
  }

  void describe(EventFields& fields) {
    fields.always({"launcher", "name of the launcher"}, launcher);
    fields.always({"host", "host of head if known, else of ddpsubmit"}, host);
    fields.if_set({"token", "token of the submission; may be absent for a run that is not part of a sweep"},
                  token);
    fields.if_set({"job_id", "job id of the scheduler"}, job_id);
    fields.if_set({"cluster", "cluster of the job"}, cluster);
    fields.if_set({"twins", "later jobs of the same submission"}, twins);
    fields.if_set({"pid", "process id of head, if ddpsubmit started it"}, pid);
    fields.if_set({"pid_start", "start time of head, in clock ticks since the boot of its host"}, pid_start);
    fields.if_set({"boot_id", "boot id of the host of head"}, boot_id);
    fields.if_set({"found", "true: a later command found the job by its token"}, found);
  }
};

struct SubmitRefused {
  static constexpr const char* kName = "submit_refused";
  static constexpr const char* kWriter = "submit; found-…";
  static constexpr const char* kDoc = "Nothing was submitted";
  std::string token = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"token", "token of the submission; may be absent for a run that is not part of a sweep"},
                  token);
    fields.always({"message", "why"}, message);
  }
};

struct CancelRequested {
  static constexpr const char* kName = "cancel_requested";
  static constexpr const char* kWriter = "cancel-TOKEN-…";
  static constexpr const char* kDoc = "A user has requested a cancel of the run";
  std::string token = {};
  std::string host = {};
  int pid = 0;
  std::string user = {};

  void describe(EventFields& fields) {
    fields.if_set({"token", "token of the submission to cancel"}, token);
    fields.always({"host", "host of ddpsubmit"}, host);
    fields.always({"pid", "process id of ddpsubmit"}, pid);
    fields.always({"user", "user who requests it"}, user);
  }
};

struct SweepStopped {
  static constexpr const char* kName = "sweep_stopped";
  static constexpr const char* kWriter = "sweep-TOKEN";
  static constexpr const char* kDoc = "Points of a local submission that had not started are skipped";
  std::string token = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.always({"token", "token of the submission"}, token);
    fields.always({"message", "why"}, message);
  }
};

}  // namespace ddp::event
