#pragma once

#include <cstdint>
#include <optional>

#include "cli/commands/command.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// Whether the newest start of the run has not come to its ranks: its set-up lines go on, or it ended in
/// them.
[[nodiscard]] bool is_before_ranks(const RunPointer& pointer, const RunStatus& status);

enum class Shown { nothing, job_output };

/// Prints what such a run has printed itself, or the last lines of it, set-up lines included, and says so.
/// Nothing when it has not begun, or has ranks.
Shown show_job_output(const RunPointer& pointer, const RunStatus& status,
                      std::optional<std::uint64_t> last_lines, Reporter& reporter);

}  // namespace ddp::cli
