#pragma once

#include "jobenv/record/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Keeps every other ddpsubmit from submitting the same run again, until the descriptor is closed. Refuses
/// when another one holds the lock, with ExitCode::still_running.
[[nodiscard]] Expected<FileDescriptor> lock_submission(const RunFolder& folder);

}  // namespace ddp::cli
