#pragma once

#include "cli/store/state/confirmed_successes.hpp"
#include "cli/store/state/run_state.hpp"
#include "ddp/jobenv/error.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// The error says that the run folder is gone.
[[nodiscard]] Expected<void> check_exists(const RunFolder& folder);

/// plan.json of a run. The error says what is not there.
[[nodiscard]] Expected<LaunchPlan> load_run_plan(const RunFolder& folder);

/// What the ranks of a run are, of a plan that holds no more that is wanted: many of them are read at once.
[[nodiscard]] std::optional<ProgramKind> load_program_kind(const RunFolder& folder);

/// Reads what derive_status needs, and no more: this is asked again and again while a run is followed, and of
/// many runs at once. Files that are absent or broken leave their part empty; only a folder that is gone is
/// an error.
[[nodiscard]] Expected<RunRecords> load_run_records(const RunFolder& folder,
                                                    RankEvents ranks = RankEvents::load,
                                                    const ConfirmedSuccesses& confirmed = {});

}  // namespace ddp::cli
