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

/// How long the time limit leaves the run; nullopt: no limit is known.
[[nodiscard]] std::optional<std::chrono::milliseconds> time_to_limit(
    const KnownRun& run, std::chrono::system_clock::time_point now);

/// Whether the time limit comes before the last step, at the present pace.
[[nodiscard]] bool ends_too_early(const KnownRun& run, std::chrono::system_clock::time_point now);

/// "about 3 min left; time limit in 2 h"; of a run that is too slow for its limit what follows.
/// Empty: neither is known.
[[nodiscard]] std::string render_time_left(const KnownRun& run, std::chrono::system_clock::time_point now);

/// What only the living ranks tell: the time that is left, "1 of 4 ranks in 'evaluate'", and which rank is
/// far behind the others. Empty: nothing.
[[nodiscard]] std::string render_live(const KnownRun& run, std::chrono::system_clock::time_point now);

/// The rank that is furthest behind the others, if they would need ten seconds to come to where they are.
[[nodiscard]] std::string render_straggler(const LiveRecord& live);

/// "98 % CPU, 1200 MiB" of a rank; empty: it does not live.
[[nodiscard]] std::string render_use(const LiveRecord& live, int rank);

}  // namespace ddp::cli
