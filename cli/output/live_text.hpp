#pragma once

#include <cstdint>
#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// "step 120 of 900"; without the total where that is not known. `run` tells the total.
[[nodiscard]] std::string render_step(std::int64_t step, const KnownRun& run);

/// What only the living ranks tell: "about 3 min 20 s left; 1 of 4 ranks in 'evaluate'", and which
/// rank is far behind the others. Empty: nothing. `step` is the one that the run has come to.
[[nodiscard]] std::string render_live(const LiveRecord& live, std::int64_t step);

/// "98 % CPU, 1200 MiB" of a rank; empty: it does not live.
[[nodiscard]] std::string render_use(const LiveRecord& live, int rank);

}  // namespace ddp::cli
