#pragma once

#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Keeps every other ddpsubmit from submitting the same run again, until the descriptor is closed. Refuses
/// when another one holds the lock, with ExitCode::still_running, or when the run was deleted meanwhile, with
/// ExitCode::not_found. A sweep and its points have one lock.
[[nodiscard]] Expected<FileDescriptor> lock_submission(const RunFolder& folder);

/// The same; file systems that have no locks do without.
[[nodiscard]] Expected<FileDescriptor> lock_if_possible(const RunFolder& folder);

}  // namespace ddp::cli
