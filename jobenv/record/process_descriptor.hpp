#pragma once

#include "jobenv/record/files/file_descriptor.hpp"

/// A descriptor names one process, and never a later one that gets its number: a pidfd, or, before Linux 5.3
/// and where a container hides the calls, its folder in /proc.
namespace ddp {

/// Of the process that has the number now. Not open: errno says why.
[[nodiscard]] FileDescriptor open_process_descriptor(int pid);

/// Whether the descriptor becomes readable when the process ends. A folder in /proc does not.
[[nodiscard]] bool tells_end(const FileDescriptor& process);

/// The errno, or 0; ESRCH: the process has ended.
[[nodiscard]] int signal_process(const FileDescriptor& process, int signal);

}  // namespace ddp
