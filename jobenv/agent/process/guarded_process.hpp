#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace ddp::agent {

/// Everything that a process under a guard needs, complete before the fork.
struct GuardedProcess {
  int id = 0;  ///< of the caller's choice, for the reports: a rank
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value
  std::vector<std::string> programs;     ///< the files to try in turn, see find_programs
  std::string work_dir;
  std::string mark;  ///< an entry of its environment that no other process under the guard has; empty: none
  std::string out;   ///< opened for append; 0600
  std::string err;
  int input = -1;   ///< descriptor for stdin; -1: /dev/null
  int output = -1;  ///< descriptor for stdout and stderr, in the place of `out` and `err`; -1: none
  std::vector<int> inherited;              ///< descriptors that stay open, under their numbers
  std::vector<int> blocked_signals;        ///< the mask it starts with; dispositions are the default ones
  std::optional<rlimit> descriptor_limit;  ///< RLIMIT_NOFILE, when the agent has changed its own
  pid_t tracer = 0;                        ///< whose children may trace it, too; 0: nobody's
};

/// The step of a start that failed.
enum class StartStep : int { fork, work_dir, output, inherit, exec };

/// What the guard and its fresh children send to the agent, one datagram each.
struct GuardReport {
  enum class Kind : int { started, start_failed, exited, alive };
  Kind kind = Kind::started;
  int id = 0;
  int value = 0;  ///< started: pid; start_failed: errno; exited: wait status
  StartStep step = StartStep::exec;
  /// exited: the descendants that had outlived it and were killed, as describe_processes() names them.
  char killed[200] = {};
  bool outlived =
      false;  ///< exited: its value is that of the first process, such as a shell, and not of the program
};

/// In the fresh child of the guard `guard`: becomes the process. What fails is reported on `report_socket`,
/// and ends the child with 127 (no such program) or 126.
[[noreturn]] void become(const GuardedProcess& process, pid_t guard, int report_socket);

/// "cannot start 'foo': No such file or directory", and the like.
[[nodiscard]] std::string describe_start_failure(const GuardedProcess& process, StartStep step,
                                                 int errno_value);

}  // namespace ddp::agent
