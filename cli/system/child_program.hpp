#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {

/// Runs a program on the terminal of this process, and waits for its end. argv[0] is a path. `wants_end`
/// waits for a person who has seen enough, or until the descriptor that it gets is readable, as the program
/// has ended: true ends the program by INT. It is not asked where a kernel has no such descriptors.
[[nodiscard]] Expected<void> run_on_terminal(const std::vector<std::string>& argv, const EnvMap& environment,
                                             const std::function<bool(int end)>& wants_end);

/// A program in a session of its own, whose words are kept for its end. It outlives this object.
class QuietProgram {
 public:
  struct End {
    bool succeeded = false;
    std::string said;  ///< on stdout and stderr, at most the last 64 KiB
  };

  /// argv[0] is a path. stdin is /dev/null.
  [[nodiscard]] static Expected<QuietProgram> start(const std::vector<std::string>& argv,
                                                    const EnvMap& environment);

  /// nullopt while it runs. To be asked until there is an end, once.
  [[nodiscard]] std::optional<End> look();

 private:
  QuietProgram(int pid, FileDescriptor output) : pid_(pid), output_(std::move(output)) {}

  int pid_;
  FileDescriptor output_;
};

}  // namespace ddp::cli
