#pragma once

#include <filesystem>

#include "cli/store/run_store.hpp"

namespace ddp::cli {

// A run is removed in three steps, so that an interruption leaves a whole run, or one that is gone and that
// finish_removal completes: its folder gets another name, its files are removed, its pointer is removed.

/// The name that the folder of a run has while it is removed: ".deleting-RUN_ID" beside its own place.
[[nodiscard]] std::filesystem::path removal_place(const RunPointer& run);

/// Whether the folder is the one that ddpsubmit has made for this run: a real folder of this user, named by
/// the run's id, with a ledger and a plan. The error says what is different.
[[nodiscard]] Expected<void> check_run_folder(const RunPointer& run);

/// The first step. Nobody can start the run again from here on. The caller holds lock_submission and lets go
/// of it before finish_removal: NFS keeps the name of an open file.
[[nodiscard]] Expected<void> begin_removal(const RunPointer& run);

/// Whether a removal of the run has begun and not ended.
[[nodiscard]] bool is_being_removed(const RunPointer& run);

/// The other steps; also those of a removal that was interrupted.
[[nodiscard]] Expected<void> finish_removal(const RunPointer& run, const RunStore& store);

/// Removes the pointer, and says if it cannot be removed.
[[nodiscard]] Expected<void> remove_pointer(const RunPointer& run, const RunStore& store);

}  // namespace ddp::cli
