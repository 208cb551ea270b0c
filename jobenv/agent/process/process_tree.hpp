#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ddp::agent {

/// The living children that any thread of a process has started.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

/// The name that the kernel keeps, at most 15 characters, such as "python3". Empty if the process does not
/// exist.
[[nodiscard]] std::string process_name(pid_t pid);

/// A process and its living descendants, parents before their children, down to `generations` below it. What
/// starts and ends meanwhile may be missing or gone.
[[nodiscard]] std::vector<pid_t> process_tree(pid_t pid, int generations = 16);

}  // namespace ddp::agent
