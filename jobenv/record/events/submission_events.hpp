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
  std::string job_name = {};
  std::vector<std::string> dropped = {};
  std::string commit = {};
  std::string branch = {};
  std::string version = {};
  std::optional<int> first_point = {};
  std::string tasks = {};
  bool recovered = false;

  void describe(EventFields& fields) {
    fields.always({"token", "identifies this submission"}, token);
    fields.always({"launcher", "name of the launcher"}, launcher);
    fields.always({"host", "host of ddpsubmit"}, host);
    fields.always({"user", "user who submits"}, user);
    fields.if_set({"cluster", "cluster that it is submitted to, if the preflight knows its name"}, cluster);
    fields.if_set({"job_name", "name of the job, if it is not the name of the run"}, job_name);
    fields.always({"dropped", "names of the submitter's environment variables that the job does not get"},
                  dropped);
    fields.if_set({"commit", "git commit of the folder that the ranks run in"}, commit);
    fields.if_set({"branch", "git branch of that folder; absent if none is checked out"}, branch);
    fields.if_set({"version", "version of ddpsubmit"}, version);
    fields.if_set({"first_point", "of a sweep: the point of task 0"}, first_point);
    fields.if_set({"tasks", "of a sweep: the tasks, in the form of a Slurm list, such as 0-4,7"}, tasks);
    fields.if_set({"recovered", "never written; marks an intent that was rebuilt in memory for a lost line"},
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
    fields.always({"host", "host of head if it is known, else of ddpsubmit"}, host);
    fields.if_set({"token", "token of the submission; a run that is submitted alone may have none"}, token);
    fields.if_set({"job_id", "job id of the scheduler"}, job_id);
    fields.if_set({"cluster", "cluster of the job"}, cluster);
    fields.if_set({"twins", "younger jobs of the same submission"}, twins);
    fields.if_set({"pid", "process id of head, if ddpsubmit has started it"}, pid);
    fields.if_set({"pid_start", "start time of head, in clock ticks since its host booted"}, pid_start);
    fields.if_set({"boot_id", "boot id of the host of head"}, boot_id);
    fields.if_set({"found", "true: a later verb has found the job by its token"}, found);
  }
};

struct SubmitRefused {
  static constexpr const char* kName = "submit_refused";
  static constexpr const char* kWriter = "submit; found-…";
  static constexpr const char* kDoc = "Nothing was submitted";
  std::string token = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"token", "token of the submission; a run that is submitted alone may have none"}, token);
    fields.always({"message", "reason"}, message);
  }
};

struct CancelRequested {
  static constexpr const char* kName = "cancel_requested";
  static constexpr const char* kWriter = "cancel-TOKEN-…";
  static constexpr const char* kDoc = "A user has asked to cancel the run";
  std::string token = {};
  std::string host = {};
  int pid = 0;
  std::string user = {};

  void describe(EventFields& fields) {
    fields.if_set({"token", "token of the submission to cancel"}, token);
    fields.always({"host", "host of ddpsubmit"}, host);
    fields.always({"pid", "process id of ddpsubmit"}, pid);
    fields.always({"user", "user who asks"}, user);
  }
};

struct SweepStopped {
  static constexpr const char* kName = "sweep_stopped";
  static constexpr const char* kWriter = "sweep-TOKEN";
  static constexpr const char* kDoc = "Points of a local submission that had not started are left out";
  std::string token = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.always({"token", "token of the submission"}, token);
    fields.always({"message", "reason"}, message);
  }
};

}  // namespace ddp::event
