#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// "step 120 of 900"; without the total where that is not known. `run` tells the total.
[[nodiscard]] std::string render_step(std::int64_t step, const KnownRun& run);

/// How long the rest of the steps takes at the present pace; nullopt: not known, or there are none. `step` is
/// the one that the run has come to.
[[nodiscard]] std::optional<std::chrono::milliseconds> time_left(const LiveRecord& live, std::int64_t step);

/// What only the living ranks tell: "about 3 min 20 s left; 1 of 4 ranks in 'evaluate'", and which
/// rank is far behind the others. Empty: nothing.
[[nodiscard]] std::string render_live(const LiveRecord& live, std::int64_t step);

/// "98 % CPU, 1200 MiB" of a rank; empty: it does not live.
[[nodiscard]] std::string render_use(const LiveRecord& live, int rank);

}  // namespace ddp::cli
