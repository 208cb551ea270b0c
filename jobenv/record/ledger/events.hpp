#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobenv/record/ledger/event_fields.hpp"
#include "jobenv/record/ledger/ledger_event.hpp"

/// The events of a ledger. Each is a struct that names itself, its writer and its fields; docs/ledger.md has
/// the same as a table.
namespace ddp::event {

using Time = std::chrono::system_clock::time_point;
using Step = std::optional<std::uint64_t>;

/// The outcome of an attempt whose head left no end.
inline constexpr const char* kLost = "lost";

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
    fields.if_set({"first_point", "of a sweep: the point that task 0 stands for"}, first_point);
    fields.if_set({"tasks", "of a sweep: the tasks, as Slurm writes a list: 0-4,7"}, tasks);
    fields.if_set({"recovered", "true: the line is lost, and this is what is known of it; only in memory"},
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

struct RankStarted {
  static constexpr const char* kName = "rank_started";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "A rank runs";
  std::optional<int> attempt = {};
  int rank = 0;
  std::string host = {};
  int pid = 0;

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"rank", "its number"}, rank);
    fields.always({"host", "where it runs"}, host);
    fields.always({"pid", "its process"}, pid);
  }
};

struct RankExited {
  static constexpr const char* kName = "rank_exited";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "A rank has ended";
  std::optional<int> attempt = {};
  int rank = 0;
  std::string host = {};
  std::optional<int> code = {};
  std::optional<int> signal = {};
  std::string ended_by = {};
  Step last_step = {};
  std::string phase = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"rank", "its number"}, rank);
    fields.always({"host", "where it ran"}, host);
    fields.if_set({"code", "its exit code"}, code);
    fields.if_set({"signal", "that it was killed by"}, signal);
    fields.always({"ended_by", "itself or agent"}, ended_by);
    fields.always({"last_step", "that it has finished; null: not known"}, last_step);
    fields.always({"phase", "that it was in"}, phase);
  }
};

struct KillOrdered {
  static constexpr const char* kName = "kill_ordered";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Head has ordered the ranks of the attempt killed, for the first time";
  std::optional<int> attempt = {};

  void describe(EventFields& fields) { fields.if_set({"attempt", "its number"}, attempt); }
};

struct RankStalled {
  static constexpr const char* kName = "rank_stalled";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "A rank did not advance when a hang was named";
  std::optional<int> attempt = {};
  int rank = 0;
  std::string host = {};
  std::string phase = {};
  Step last_step = {};
  double silent_seconds = 0;
  double longest_seconds = 0;
  std::string process = {};
  bool waits_for_peers = false;

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"rank", "its number"}, rank);
    fields.always({"host", "where it runs"}, host);
    fields.always({"phase", "that it is in"}, phase);
    fields.always({"last_step", "that it has finished; null: not known"}, last_step);
    fields.always({"silent_seconds", "since it last advanced"}, silent_seconds);
    fields.always({"longest_seconds", "that a part of that phase has taken before; 0: none yet"},
                  longest_seconds);
    fields.always({"process", "running, sleeping, in_kernel, stopped, traced or unknown"}, process);
    fields.always({"waits_for_peers", "whether it waits for other ranks"}, waits_for_peers);
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
    fields.always({"next_attempt", "its number"}, next_attempt);
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

struct NodesMissing {
  static constexpr const char* kName = "nodes_missing";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The attempt does without some hosts";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  int nodes = 0;
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"hosts", "those that are unreachable"}, hosts);
    fields.always({"nodes", "how many there are"}, nodes);
    fields.always({"message", "the same in words"}, message);
  }
};

struct NodesLost {
  static constexpr const char* kName = "nodes_lost";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The scheduler has given up nodes of the job";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"hosts", "those nodes"}, hosts);
    fields.always({"message", "the same in words"}, message);
  }
};

struct NodesExcluded {
  static constexpr const char* kName = "nodes_excluded";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The job is kept from nodes that it was lost to before";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"hosts", "those nodes"}, hosts);
    fields.always({"message", "the same in words"}, message);
  }
};

struct ExclusionRefused {
  static constexpr const char* kName = "exclusion_refused";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "The job is not kept from nodes that it was lost to before";
  std::optional<int> attempt = {};
  std::vector<std::string> hosts = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "its number"}, attempt);
    fields.always({"hosts", "those nodes"}, hosts);
    fields.always({"message", "why not"}, message);
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

struct DamagedLines {
  static constexpr const char* kName = "damaged_lines";
  static constexpr const char* kWriter = "none";
  static constexpr const char* kDoc =
      "Lines that cannot be read; whoever loads the ledger puts it in their place";
  std::string writer = {};
  std::string place = {};
  int lines = 0;
  std::optional<Time> after = {};
  std::string token = {};
  std::string launcher = {};
  std::string reason = {};

  void describe(EventFields& fields) {
    fields.always({"writer", "of the file"}, writer);
    fields.always({"place", "FILE:LINE of the first"}, place);
    fields.always({"lines", "how many there are"}, lines);
    fields.always({"after", "the time of the line before them"}, after);
    fields.if_set({"token", "of the submission, where they or the name of the file show it"}, token);
    fields.if_set({"launcher", "of the submission, where they show it"}, launcher);
    fields.if_set({"reason", "of a file that cannot be read"}, reason);
  }
};

}  // namespace ddp::event

namespace ddp {

/// The fields of an event as they are written.
template <class Event>
[[nodiscard]] nlohmann::json fields_of(Event event) {
  EventWriter writer;
  event.describe(writer);
  return std::move(writer.fields);
}

template <class Event>
[[nodiscard]] bool is(const LedgerEvent& event) {
  return event.event == Event::kName;
}

/// nullopt: it is another event.
template <class Event>
[[nodiscard]] std::optional<Event> as(const LedgerEvent& event) {
  if (!is<Event>(event)) return std::nullopt;
  Event read;
  EventReader reader(event.fields);
  read.describe(reader);
  return read;
}

/// A line of the ledger with that event.
template <class Event>
[[nodiscard]] LedgerEvent make_ledger_event(std::chrono::system_clock::time_point time, const Event& event) {
  return {time, Event::kName, fields_of(event)};
}

/// Calls `visit` with a default value of each event, in the order of a run's life.
template <class Visit>
void for_each_event(Visit&& visit) {
  visit(event::SubmitIntent{});
  visit(event::Submitted{});
  visit(event::SubmitRefused{});
  visit(event::CancelRequested{});
  visit(event::HeadStarted{});
  visit(event::AttemptStarted{});
  visit(event::RankStarted{});
  visit(event::RankExited{});
  visit(event::KillOrdered{});
  visit(event::RankStalled{});
  visit(event::StopRequested{});
  visit(event::AttemptEnded{});
  visit(event::Restarting{});
  visit(event::Requeued{});
  visit(event::Waiting{});
  visit(event::NodesMissing{});
  visit(event::NodesLost{});
  visit(event::NodesExcluded{});
  visit(event::ExclusionRefused{});
  visit(event::RequeueRefused{});
  visit(event::RunEnded{});
  visit(event::SweepStopped{});
  visit(event::DamagedLines{});
}

}  // namespace ddp
