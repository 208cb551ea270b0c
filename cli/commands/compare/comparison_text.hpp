#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/commands/compare/run_comparison.hpp"

namespace ddp::cli {

/// A row for each key that differs between two runs, in sections; then the metrics that are equal. `columns`:
/// of the terminal; nullopt: there is none.
[[nodiscard]] std::string render_pair(const RunComparison& comparison, std::optional<std::size_t> columns);

/// A row for each run: the settings that differ, the metrics, steps and time, and why it did not succeed.
/// Where that is too wide for the terminal, a row for each key; where that is too, only as many settings as
/// fit.
[[nodiscard]] std::string render_runs(const RunComparison& comparison, std::optional<std::size_t> columns);

/// What differs and is in no column of render_runs: "the hosts and the version of libtorch"; empty: nothing.
[[nodiscard]] std::string render_other_differences(const RunComparison& comparison);

}  // namespace ddp::cli
