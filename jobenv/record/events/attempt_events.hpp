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
  static constexpr const char* kDoc = "Head has claimed an attempt";
  std::optional<int> attempt = {};
  std::string host = {};
  int pid = 0;
  Step pid_start = {};
  std::string boot_id = {};
  std::string job_id = {};
  std::string cluster = {};
  std::string token = {};
  int restart_count = 0;
  Step resumes_from = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"host", "host of head"}, host);
    fields.always({"pid", "process id of head"}, pid);
    fields.always({"pid_start", "start time of head, in clock ticks since its host booted"}, pid_start);
    fields.always({"boot_id", "boot id of its host"}, boot_id);
    fields.always({"job_id", "job id of the scheduler; empty: none"}, job_id);
    fields.always({"cluster", "cluster of the job; empty: none, or not known"}, cluster);
    fields.if_set({"token", "token of the submission that the job is of"}, token);
    fields.always({"restart_count", "number of earlier starts of the job by the scheduler"}, restart_count);
    fields.always({"resumes_from", "step of the newest checkpoint; null: no checkpoint"}, resumes_from);
  }
};

struct AttemptStarted {
  static constexpr const char* kName = "attempt_started";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "All agents are connected, and the ranks start";
  std::optional<int> attempt = {};
  std::string master_address = {};
  int master_port = 0;
  std::vector<std::string> hosts = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"master_address", "address of the store"}, master_address);
    fields.always({"master_port", "port of the store"}, master_port);
    fields.always({"hosts", "hosts, in the order of node ranks"}, hosts);
  }
};

struct StopRequested {
  static constexpr const char* kName = "stop_requested";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc =
      "The run is going to stop; a second event corrects the reason of the first";
  std::optional<int> attempt = {};
  std::string reason = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"reason",
                   "cancel, interrupt, time_limit, preempted, detached_submitter, requeued (from outside), "
                   "node_failed, or taken_back (the scheduler does not say why)"},
                  reason);
  }
};

struct KillOrdered {
  static constexpr const char* kName = "kill_ordered";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc =
      "Head has ordered the agents to kill the ranks of the attempt, for the first time";
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
  std::string unhandled_signal = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always(
        {"outcome",
         "succeeded, failed, timed_out, preempted, cancelled or requeued; lost: the next head writes it"},
        outcome);
    fields.always({"message", "how it ended, in words"}, message);
    fields.always({"last_step", "highest step of its ranks; null: not known"}, last_step);
    fields.always({"cause", "first failure, without its output; null: none"}, cause);
    fields.if_set({"lost_steps", "of a lost attempt: steps that the next attempt does again"}, lost_steps);
    fields.if_set({"unhandled_signal", "stop signal that all its ranks died of: USR1 or USR2"},
                  unhandled_signal);
  }
};

struct Restarting {
  static constexpr const char* kName = "restarting";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Another attempt follows a failure, in the same job";
  std::optional<int> attempt = {};
  int next_attempt = 0;
  std::string message = {};
  std::optional<Cause> cause = {};
  Step resumes_from = {};
  Step lost_steps = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"next_attempt", "number of the attempt that follows"}, next_attempt);
    fields.always({"message", "reason"}, message);
    fields.always({"cause", "first failure"}, cause);
    fields.always({"resumes_from", "step of the checkpoint; null: no checkpoint"}, resumes_from);
    fields.always({"lost_steps", "steps that the next attempt does again; null for a command"}, lost_steps);
  }
};

struct Requeued {
  static constexpr const char* kName = "requeued";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Another attempt follows, in another start of the job";
  std::optional<int> attempt = {};
  std::string reason = {};
  Step step = {};
  int count = 0;
  Step lost_steps = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"reason", "time_limit, preempted, requeued, node_failed or taken_back"}, reason);
    fields.always({"step", "step that the next attempt resumes from; null: from the beginning"}, step);
    fields.always({"count", "number of requeues at the time limit"}, count);
    fields.always({"lost_steps", "steps that the next attempt does again"}, lost_steps);
    fields.always({"message", "reason"}, message);
  }
};

struct RequeueRefused {
  static constexpr const char* kName = "requeue_refused";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The scheduler has refused to requeue the job";
  std::optional<int> attempt = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"message", "reason"}, message);
  }
};

struct Waiting {
  static constexpr const char* kName = "waiting";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The attempt has ended, and head keeps the job until it knows more";
  std::optional<int> attempt = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always(
        {"message", "what head waits for: an answer of the scheduler, or its report of a lost node"},
        message);
  }
};

struct Notified {
  static constexpr const char* kName = "notified";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The command of notify has been called, or could not be";
  std::optional<int> attempt = {};
  std::string notification = {};
  std::optional<int> code = {};
  std::optional<int> signal = {};
  int milliseconds = 0;
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"notification", "the event that it was called for, such as failed"}, notification);
    fields.if_set({"code", "exit code of the command"}, code);
    fields.if_set({"signal", "signal that killed it"}, signal);
    fields.always({"milliseconds", "how long the command ran"}, milliseconds);
    fields.if_set({"message", "what went wrong, with the last line of its output"}, message);
  }
};

struct RunEnded {
  static constexpr const char* kName = "run_ended";
  static constexpr const char* kWriter = "head-N; observer-HOST-PID";
  static constexpr const char* kDoc =
      "The run has ended: the last event of head, except notified, or what an observer has proven";
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
    fields.always({"state", "state of the run"}, state);
    fields.if_set({"exit_code", "exit code of head; an observer does not know it"}, exit_code);
    fields.always({"message", "how it ended, in words"}, message);
    fields.always({"cause", "first failure; null: none"}, cause);
    fields.if_set({"source", "of an observer: what has proven the end"}, source);
    fields.if_set({"token", "of an observer: token of the submission"}, token);
    fields.if_set({"ended", "of an observer: time of the end, if known"}, ended);
  }
};

}  // namespace ddp::event
