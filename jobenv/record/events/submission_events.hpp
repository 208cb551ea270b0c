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
    fields.always({"token", "tells this submission from all others"}, token);
    fields.always({"launcher", "its name"}, launcher);
    fields.always({"host", "of ddpsubmit"}, host);
    fields.always({"user", "who submits"}, user);
    fields.if_set({"cluster", "that it submits to, if the preflight has heard its name"}, cluster);
    fields.always({"dropped", "names of the submitter's variables that the job does not get"}, dropped);
    fields.if_set({"commit", "of git, of the folder that the ranks run in"}, commit);
    fields.if_set({"branch", "of git; absent: none is checked out"}, branch);
    fields.if_set({"first_point", "of a sweep: the point that task 0 stands for"}, first_point);
    fields.if_set({"tasks", "of a sweep: the tasks, as Slurm writes a list: 0-4,7"}, tasks);
    fields.if_set(
        {"recovered", "never written: it marks an intent that was rebuilt in memory for a line that is lost"},
        recovered);
  }
};

struct Submitted {
  static constexpr const char* kName = "submitted";
  static constexpr const char* kWriter = "submit; found-…";
  static constexpr const char* kDoc = "The launcher has taken it";
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
    fields.always({"launcher", "its name"}, launcher);
    fields.always({"host", "of head, where that is known; else of ddpsubmit"}, host);
    fields.if_set({"token", "of the submission; a run that is submitted alone may have none"}, token);
    fields.if_set({"job_id", "of the scheduler"}, job_id);
    fields.if_set({"cluster", "of the job"}, cluster);
    fields.if_set({"twins", "younger jobs of the same submission"}, twins);
    fields.if_set({"pid", "of head, which ddpsubmit has started"}, pid);
    fields.if_set({"pid_start", "when head was started, in clock ticks since its host has booted"},
                  pid_start);
    fields.if_set({"boot_id", "of the host of head"}, boot_id);
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
    fields.if_set({"token", "of the submission; a run that is submitted alone may have none"}, token);
    fields.always({"message", "why"}, message);
  }
};

struct CancelRequested {
  static constexpr const char* kName = "cancel_requested";
  static constexpr const char* kWriter = "cancel-TOKEN-…";
  static constexpr const char* kDoc = "Somebody has asked to cancel the run";
  std::string token = {};
  std::string host = {};
  int pid = 0;
  std::string user = {};

  void describe(EventFields& fields) {
    fields.if_set({"token", "of the submission that is to be cancelled"}, token);
    fields.always({"host", "of ddpsubmit"}, host);
    fields.always({"pid", "of ddpsubmit"}, pid);
    fields.always({"user", "who asks"}, user);
  }
};

struct SweepStopped {
  static constexpr const char* kName = "sweep_stopped";
  static constexpr const char* kWriter = "sweep-TOKEN";
  static constexpr const char* kDoc = "Points of a local submission that had not started are left out";
  std::string token = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.always({"token", "of the submission"}, token);
    fields.always({"message", "why"}, message);
  }
};

}  // namespace ddp::event
