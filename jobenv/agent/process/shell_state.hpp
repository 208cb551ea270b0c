#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>

#include "ddp/jobenv/env_map.hpp"

namespace ddp::agent {

/// What lines of shell can change of the processes that are started after them.
struct ShellState {
  EnvMap environment;
  mode_t file_mask = 0;          ///< umask
  std::map<int, rlimit> limits;  ///< by RLIMIT_*
};

/// Of this process. Not thread-safe.
[[nodiscard]] ShellState capture_shell_state(const EnvMap& environment);

/// Entries that end with a NUL each, and a last NUL; never two of them before that.
[[nodiscard]] std::string render_shell_state(const ShellState& state);
/// Whether `text` is all that render_shell_state has made.
[[nodiscard]] bool is_whole_shell_state(std::string_view text);
/// What is no entry is passed over.
[[nodiscard]] ShellState parse_shell_state(std::string_view text);

/// Makes them those of this process, but for the environment, and the limit of open descriptors, which an
/// agent has for itself. A limit that cannot be set stays.
void take_over(const ShellState& state);

}  // namespace ddp::agent
