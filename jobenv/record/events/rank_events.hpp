#pragma once

#include <optional>
#include <string>

#include "jobenv/record/events/event_fields.hpp"

/// Events of head, about a rank of an attempt.
namespace ddp::event {

/// Only the names of these events begin with this.
inline constexpr const char* kRankEvents = "rank_";

struct RankStarted {
  static constexpr const char* kName = "rank_started";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "A rank has started";
  std::optional<int> attempt = {};
  int rank = 0;
  std::string host = {};
  int pid = 0;
  std::string omp_num_threads = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"rank", "number of the rank"}, rank);
    fields.always({"host", "host of the rank"}, host);
    fields.always({"pid", "process id of the rank"}, pid);
    fields.if_set({"omp_num_threads", "OMP_NUM_THREADS of rank 0 of a command"}, omp_num_threads);
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
  std::string killed = {};
  Step last_step = {};
  std::string phase = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"rank", "number of the rank"}, rank);
    fields.always({"host", "host of the rank"}, host);
    fields.if_set({"code", "exit code"}, code);
    fields.if_set({"signal", "signal that killed it"}, signal);
    fields.always({"ended_by", "itself or agent"}, ended_by);
    fields.if_set({"killed", "descendants that had outlived its first process, and were killed"}, killed);
    fields.always({"last_step", "last step that it has finished; null: not known"}, last_step);
    fields.always({"phase", "phase that it was in"}, phase);
  }
};

struct RankStalled {
  static constexpr const char* kName = "rank_stalled";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "A rank did not advance when a hang was reported";
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
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"rank", "number of the rank"}, rank);
    fields.always({"host", "host of the rank"}, host);
    fields.always({"phase", "phase that it is in"}, phase);
    fields.always({"last_step", "last step that it has finished; null: not known"}, last_step);
    fields.always({"silent_seconds", "time since it last advanced"}, silent_seconds);
    fields.always({"longest_seconds", "longest time that a part of this phase has taken before; 0: none yet"},
                  longest_seconds);
    fields.always(
        {"process", "state of its process: running, sleeping, in_kernel, stopped, traced or unknown"},
        process);
    fields.always({"waits_for_peers", "whether it waits for other ranks"}, waits_for_peers);
  }
};

/// Not of a rank alone: it is read where the events of ranks are passed over.
struct HangSuspected {
  static constexpr const char* kName = "hang_suspected";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Ranks of a command do not advance; they are left running";
  std::optional<int> attempt = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"message", "which rank, since when, and what is known about it"}, message);
  }
};

struct HangOver {
  static constexpr const char* kName = "hang_over";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc = "Ranks that seemed to hang continue";
  std::optional<int> attempt = {};

  void describe(EventFields& fields) { fields.if_set({"attempt", "number of the attempt"}, attempt); }
};

struct MpiNotConnected {
  static constexpr const char* kName = "mpi_not_connected";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc =
      "Ranks of a command have loaded an MPI library that nothing connects: each of them is rank 0 of 1";
  std::optional<int> attempt = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"message", "which ranks, which library, and what to set"}, message);
  }
};

struct StepsNotReported {
  static constexpr const char* kName = "steps_not_reported";
  static constexpr const char* kWriter = "head-N";
  static constexpr const char* kDoc =
      "No rank of a command that is to be requeued has reported a step for a while";
  std::optional<int> attempt = {};
  std::string message = {};

  void describe(EventFields& fields) {
    fields.if_set({"attempt", "number of the attempt"}, attempt);
    fields.always({"message", "for how long, and what that means for a requeue"}, message);
  }
};

}  // namespace ddp::event
