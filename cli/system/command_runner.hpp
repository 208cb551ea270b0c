#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {

/// What the end of ddpsubmit means for a program that it runs.
enum class EndOfCaller {
  kills,   ///< the program, so that one that hangs is not left behind
  spares,  ///< it: it may be about to queue a job
};

/// A program to run to its end. No shell; argv[0] is looked up in PATH of `environment` when it holds no
/// slash. It is a process group of its own: keys that are pressed do not reach it.
struct CommandRequest {
  std::vector<std::string> argv;
  EnvMap environment;
  std::chrono::milliseconds timeout{60'000};  ///< then the program is killed, with its group
  std::function<void(std::string_view line)> on_error_line = {};  ///< each line of stderr as it comes
  EndOfCaller end_of_caller = EndOfCaller::kills;
  int inherited_descriptor = -1;  ///< passed on under its own number; -1: none
  int stop_descriptor = -1;       ///< when it is readable, the program is killed as after its time; -1: none
  std::size_t output_limit =
      std::numeric_limits<std::size_t>::max();  ///< of stdout, in bytes: then it is killed
};

struct CommandResult {
  enum class End { exited, signalled, timed_out };
  End end = End::exited;
  int code = 0;  ///< exit code, or signal
  std::string out;
  std::string err;
  bool cut =
      false;  ///< it was killed because it wrote more than the limit to stdout; `out` has no more than that

  [[nodiscard]] bool succeeded() const { return end == End::exited && code == 0; }
};

/// A program that outlives ddpsubmit: in a session of its own, stdin /dev/null, stdout and stderr appended to
/// `log`.
struct DaemonRequest {
  std::vector<std::string> argv;
  EnvMap environment;
  std::filesystem::path folder;
  std::filesystem::path log;
  std::vector<int> inherited_descriptors = {};  ///< passed on under their own numbers
};

/// Starts processes. Programs get the given environment, no other descriptors, and default signal
/// dispositions.
class CommandRunner {
 public:
  virtual ~CommandRunner() = default;
  /// An error only when the program could not be started.
  [[nodiscard]] virtual Expected<CommandResult> run(const CommandRequest& request) = 0;
  /// The process id.
  [[nodiscard]] virtual Expected<int> start_daemon(const DaemonRequest& request) = 0;
  /// Collects a daemon of this runner that has ended; does nothing while it runs.
  virtual void reap(int pid) = 0;
};

class RealCommandRunner final : public CommandRunner {
 public:
  [[nodiscard]] Expected<CommandResult> run(const CommandRequest& request) override;
  [[nodiscard]] Expected<int> start_daemon(const DaemonRequest& request) override;
  void reap(int pid) override;
};

/// The executable file that `program` means: itself when it holds a slash, else the first match in PATH of
/// `environment`.
[[nodiscard]] Expected<std::filesystem::path> resolve_program(const std::string& program,
                                                              const EnvMap& environment);

}  // namespace ddp::cli
