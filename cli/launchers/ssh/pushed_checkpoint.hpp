#pragma once

#include "cli/store/state/run_state.hpp"
#include "jobenv/record/latest_checkpoint.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Where the tensors of a run's newest checkpoint are: of a pushed run whose checkpoint was not fetched on
/// head's host, in the words that scp takes (HOST:PATH); of any other `here`, as it is.
[[nodiscard]] LatestCheckpoint place_of_checkpoint(LatestCheckpoint here, const RunFolder& folder,
                                                   const RunStatus& status);

}  // namespace ddp::cli
