#pragma once

#include <string_view>

#include "cli/store/state/run_state.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Writes down, as `run_ended` of writer observer-HOST-PID, that a run has ended whose head left no last
/// word, so that it stays true when the scheduler has forgotten the job. `status` is what was proved;
/// `source` who said so. Several observers may do that at once.
[[nodiscard]] Expected<void> record_observed_end(const RunFolder& folder, const RunStatus& status,
                                                 std::string_view source, const Host& host);

}  // namespace ddp::cli
