#pragma once

#include <sys/types.h>

#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/agent/process/guarded_process.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// What the agent sends to its guard.
struct GuardCommand {
  enum class Kind : int {
    ask,          ///< GuardReport::Kind::alive is the answer
    signal,       ///< send `signal` to `id`, or to all: to each with its group and its descendants
    expect_stop,  ///< somebody else has asked the processes to stop
  };
  static constexpr int kAll = -1;
  Kind kind = Kind::ask;
  int signal = 0;
  int id = kAll;
};

/// The process between an agent and its ranks, or a launcher. It forks them, reports what becomes of them
/// (GuardReport), and when the last one has ended, or the agent has (the socket ends), kills and reaps all
/// that they left behind and exits with 0: that exit proves that nothing of theirs lives on this host.
/// A process with a mark that may have obeyed a stop, and leaves descendants behind, such as a shell around a
/// program, counts as living until they have ended: for two seconds at most, and for as long as it takes if a
/// stop is asked for before or meanwhile. So does one that dies of TERM, INT, HUP, USR1 or USR2, or ends with
/// 128 and that signal, or with 0.
/// When the guard itself is killed, its children die with it, and what they leave comes to the agent, which
/// must be a subreaper and sweep.
struct Guard {
  pid_t pid = -1;
  FileDescriptor socket;  ///< the agent's end: non-blocking, SOCK_SEQPACKET
};

/// Forks the guard, and the guard the processes. Must be called on the thread that waits for the guard.
/// Descriptors in GuardedProcess::inherited are left open here; the guard drops its copies when all are
/// forked. `held` is one that the guard keeps until it ends, and no process inherits; -1: none.
[[nodiscard]] Expected<Guard> fork_guard(const std::vector<GuardedProcess>& processes, int held = -1);

}  // namespace ddp::agent
