#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobenv/record/events/event_fields.hpp"

/// Events of head, about an attempt and the run as a whole.
namespace ddp::event {

/// The outcome of an attempt whose head left no end.
inline constexpr const char* kLost = "lost";

struct HeadStarted {
  static constexpr const char* kName = "head_started";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Head has started and claimed a new attempt";
  std::optional<int> attempt = {};
  std::string host = {};
  int pid = 0;
  Step pid_start = {};
  std::string boot_id = {};
  std::string job_id = {};
  std::string cluster = {};
  int restart_count = 0;
  Step resumes_from = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"host", "host of head"}, host);
    fields.always({"pid", "process id of head"}, pid);
    fields.always({"pid_start", "start time of that process, in clock ticks since the boot of its host"},
                  pid_start);
    fields.always({"boot_id", "boot id of that host"}, boot_id);
    fields.always({"job_id", "job id of the scheduler; empty: no scheduler"}, job_id);
    fields.always({"cluster", "cluster of the job; empty: none or unknown"}, cluster);
    fields.always({"restart_count", "number of earlier starts of the job by the scheduler"}, restart_count);
    fields.always({"resumes_from", "step of the newest checkpoint; null: no checkpoint"}, resumes_from);
  }
};

struct AttemptStarted {
  static constexpr const char* kName = "attempt_started";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "All agents have connected, and the ranks start";
  std::optional<int> attempt = {};
  std::string master_address = {};
  int master_port = 0;
  std::vector<std::string> hosts = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"master_address", "address of the store"}, master_address);
    fields.always({"master_port", "port of the store"}, master_port);
    fields.always({"hosts", "host names, indexed by node rank"}, hosts);
  }
};

struct StopRequested {
  static constexpr const char* kName = "stop_requested";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc =
      "A stop of the run is requested; a second event corrects the reason of the first";
  std::optional<int> attempt = {};
  std::string reason = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"reason",
                   "cancel, interrupt, time_limit, preempted, detached_submitter, requeued (outside "
                   "ddpsubmit), node_failed, or taken_back (requeued by the scheduler without a reason)"},
                  reason);
  }
};

struct KillOrdered {
  static constexpr const char* kName = "kill_ordered";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc =
      "Head has ordered the agents to kill the ranks of the attempt; written once";
  std::optional<int> attempt = {};

  void describe(EventFields& fields) { fields.if_set({"attempt", "number of the attempt"}, attempt); }
};

struct AttemptEnded {
  static constexpr const char* kName = "attempt_ended";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "An attempt has ended";
  std::optional<int> attempt = {};
  std::string outcome = {};
  std::string message = {};
  Step last_step = {};
  std::optional<Cause> cause = {};
  Step lost_steps = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"outcome",
                   "succeeded, failed, timed_out, preempted, cancelled, requeued, or lost (head ended "
                   "without a record; written by the next head)"},
                  outcome);
    fields.always({"message", "how it ended"}, message);
    fields.always({"last_step", "highest step that any rank finished; null: unknown"}, last_step);
    fields.always({"cause", "first failure, without its stderr; null: none"}, cause);
    fields.if_set({"lost_steps", "for a lost attempt: number of steps that the next attempt repeats"},
                  lost_steps);
  }
};

struct Restarting {
  static constexpr const char* kName = "restarting";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Restart: a new attempt follows in the same job after a failure";
  std::optional<int> attempt = {};
  int next_attempt = 0;
  std::string message = {};
  std::optional<Cause> cause = {};
  Step resumes_from = {};
  Step lost_steps = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"next_attempt", "number of the next attempt"}, next_attempt);
    fields.always({"message", "why"}, message);
    fields.always({"cause", "first failure"}, cause);
    fields.always({"resumes_from", "step of the checkpoint; null: no checkpoint"}, resumes_from);
    fields.always({"lost_steps", "number of steps that the next attempt repeats; null for a command"},
                  lost_steps);
  }
};

struct Requeued {
  static constexpr const char* kName = "requeued";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc =
      "Requeue: the next attempt follows when the scheduler starts the job again";
  std::optional<int> attempt = {};
  std::string reason = {};
  Step step = {};
  int count = 0;
  Step lost_steps = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"reason", "time_limit, preempted, requeued, node_failed or taken_back"}, reason);
    fields.always({"step", "step that the next attempt resumes from; null: it starts from the beginning"},
                  step);
    fields.always({"count", "number of requeues at the time limit so far"}, count);
    fields.always({"lost_steps", "number of steps that the next attempt repeats"}, lost_steps);
    fields.always({"message", "why"}, message);
  }
};

struct RequeueRefused {
  static constexpr const char* kName = "requeue_refused";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The scheduler refused to requeue the job";
  std::optional<int> attempt = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"message", "why"}, message);
  }
};

struct Waiting {
  static constexpr const char* kName = "waiting";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc =
      "The attempt has ended, but head keeps the job while it waits for the scheduler";
  std::optional<int> attempt = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always(
        {"message", "what head waits for: an answer of the scheduler, or its report of a lost node"},
        message);
  }
};

struct RunEnded {
  static constexpr const char* kName = "run_ended";
  static constexpr const char* kWriter = "head-N; observer-HOST-PID";
  static constexpr const char* kDoc =
      "The run has ended: written by head, or by an observer that has proof of it";
  std::optional<int> attempt = {};
  RunState state = RunState::unknown;
  std::optional<int> exit_code = {};
  std::string message = {};
  std::optional<Cause> cause = {};
  std::string source = {};
  std::string token = {};
  std::optional<Time> ended = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"state", "final state of the run"}, state);
    fields.if_set({"exit_code", "exit code of head; absent if an observer wrote the event"}, exit_code);
    fields.always({"message", "how it ended"}, message);
    fields.always({"cause", "first failure; null: none"}, cause);
    fields.if_set({"source", "for an observer: the source of its knowledge"}, source);
    fields.if_set({"token", "for an observer: token of the submission"}, token);
    fields.if_set({"ended", "for an observer: end time, if known"}, ended);
  }
};

}  // namespace ddp::event
