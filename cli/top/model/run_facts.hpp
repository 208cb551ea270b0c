#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// Whether its folder is still to be read.
[[nodiscard]] bool is_unread(const KnownRun& run);

/// Whether a run that goes on is suspected to hang.
[[nodiscard]] bool is_stalled(const KnownRun& run);

/// 0 to 1; nullopt: the total number of steps is not known.
[[nodiscard]] std::optional<double> done_share(const KnownRun& run);

/// The last of the training, by metrics.jsonl or else by rank 0. Evaluations do not count.
[[nodiscard]] std::optional<double> current_loss(const KnownRun& run);
[[nodiscard]] std::optional<double> current_throughput(const KnownRun& run);

/// Until the last step, at the present pace; nullopt: not known.
[[nodiscard]] std::optional<std::chrono::milliseconds> time_to_end(const KnownRun& run);

}  // namespace ddp::cli
