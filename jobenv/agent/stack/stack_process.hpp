#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace ddp::agent {

/// The process that does the work of a rank whose own process only waits for it, as `bash -c`, `bwrap` and
/// `uv run` do: the only child of a process with one thread, and larger than its parent.
[[nodiscard]] pid_t find_working_process(pid_t rank);

/// The first process of the rank's tree that has `descriptor` open on a memfd of this name; nullopt: none.
[[nodiscard]] std::optional<pid_t> find_owner_of_memfd(pid_t rank, int descriptor, const std::string& name);

/// What the kernel tells of the main thread: "the system call futex", or nothing.
[[nodiscard]] std::vector<std::string> load_kernel_frames(pid_t pid);

}  // namespace ddp::agent
