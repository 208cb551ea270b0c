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
  int restart_count = 0;
  Step resumes_from = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"host", "of head"}, host);
    fields.always({"pid", "of head"}, pid);
    fields.always({"pid_start", "when it was started, in clock ticks since its host has booted"}, pid_start);
    fields.always({"boot_id", "of its host"}, boot_id);
    fields.always({"job_id", "of the scheduler; empty: none"}, job_id);
    fields.always({"cluster", "of the job; empty: none, or not known"}, cluster);
    fields.always({"restart_count", "how often the scheduler has started the job before"}, restart_count);
    fields.always({"resumes_from", "step of the newest checkpoint; null: there is none"}, resumes_from);
  }
};

struct AttemptStarted {
  static constexpr const char* kName = "attempt_started";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "All agents are there, and the ranks start";
  std::optional<int> attempt = {};
  std::string master_address = {};
  int master_port = 0;
  std::vector<std::string> hosts = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"master_address", "of the store"}, master_address);
    fields.always({"master_port", "of the store"}, master_port);
    fields.always({"hosts", "by node rank"}, hosts);
  }
};

struct StopRequested {
  static constexpr const char* kName = "stop_requested";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The run is to stop; a second one corrects the reason of the first";
  std::optional<int> attempt = {};
  std::string reason = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"reason",
                   "cancel, interrupt, time_limit, preempted, detached_submitter, requeued (from outside), "
                   "node_failed, or taken_back (the scheduler does not say why)"},
                  reason);
  }
};

struct KillOrdered {
  static constexpr const char* kName = "kill_ordered";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Head has ordered the ranks of the attempt killed, for the first time";
  std::optional<int> attempt = {};

  void describe(EventFields& fields) { fields.if_set({"attempt", "its number"}, attempt); }
};

struct AttemptEnded {
  static constexpr const char* kName = "attempt_ended";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "An attempt is over";
  std::optional<int> attempt = {};
  std::string outcome = {};
  std::string message = {};
  Step last_step = {};
  std::optional<Cause> cause = {};
  Step lost_steps = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always(
        {"outcome",
         "succeeded, failed, timed_out, preempted, cancelled or requeued; lost: the next head tells it"},
        outcome);
    fields.always({"message", "how it ended"}, message);
    fields.always({"last_step", "the highest of its ranks; null: not known"}, last_step);
    fields.always({"cause", "the first failure, without what it has printed; null: none"}, cause);
    fields.if_set({"lost_steps", "of a lost one: steps that the next attempt does again"}, lost_steps);
  }
};

struct Restarting {
  static constexpr const char* kName = "restarting";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Another attempt follows a failure in the same job";
  std::optional<int> attempt = {};
  int next_attempt = 0;
  std::string message = {};
  std::optional<Cause> cause = {};
  Step resumes_from = {};
  Step lost_steps = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"next_attempt", "number of the attempt that follows"}, next_attempt);
    fields.always({"message", "why"}, message);
    fields.always({"cause", "the first failure"}, cause);
    fields.always({"resumes_from", "step of the checkpoint; null: there is none"}, resumes_from);
    fields.always({"lost_steps", "that it does again; null for a command"}, lost_steps);
  }
};

struct Requeued {
  static constexpr const char* kName = "requeued";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The next attempt follows in another start of the job";
  std::optional<int> attempt = {};
  std::string reason = {};
  Step step = {};
  int count = 0;
  Step lost_steps = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"reason", "time_limit, preempted, requeued, node_failed or taken_back"}, reason);
    fields.always({"step", "that the next attempt resumes from; null: from the beginning"}, step);
    fields.always({"count", "of requeues at the time limit"}, count);
    fields.always({"lost_steps", "that the next attempt does again"}, lost_steps);
    fields.always({"message", "why"}, message);
  }
};

struct RequeueRefused {
  static constexpr const char* kName = "requeue_refused";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The scheduler has not taken the job back";
  std::optional<int> attempt = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"message", "why"}, message);
  }
};

struct Waiting {
  static constexpr const char* kName = "waiting";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The attempt has ended, and its job is held";
  std::optional<int> attempt = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"message", "what for: an answer of the scheduler, or its word of a lost node"}, message);
  }
};

struct RunEnded {
  static constexpr const char* kName = "run_ended";
  static constexpr const char* kWriter = "head-N; observer-HOST-PID";
  static constexpr const char* kDoc =
      "The run is over: the last word of head, or what an observer has proven";
  std::optional<int> attempt = {};
  RunState state = RunState::unknown;
  std::optional<int> exit_code = {};
  std::string message = {};
  std::optional<Cause> cause = {};
  std::string source = {};
  std::string token = {};
  std::optional<Time> ended = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"state", "the state of the run"}, state);
    fields.if_set({"exit_code", "of head; an observer knows none"}, exit_code);
    fields.always({"message", "how it ended"}, message);
    fields.always({"cause", "the first failure; null: none"}, cause);
    fields.if_set({"source", "of an observer: who has proven it"}, source);
    fields.if_set({"token", "of an observer: the submission that it is about"}, token);
    fields.if_set({"ended", "of an observer: when it ended, if that is known"}, ended);
  }
};

}  // namespace ddp::event
