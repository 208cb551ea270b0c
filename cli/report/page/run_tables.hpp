#pragma once

#include <string>
#include <vector>

#include "cli/report/model/report_model.hpp"
#include "cli/report/plot/plots.hpp"

// Parts of the page as HTML. A part without data is an empty string.
namespace ddp::cli {

/// The first failure: facts, and the end of the rank's stderr.
[[nodiscard]] std::string render_cause_html(const KnownRun& run);

/// A row per attempt and wait, on one scale of time.
[[nodiscard]] std::string render_timeline_html(const ReportedRun& run);

/// What is known of each attempt, and what its failure has cost.
[[nodiscard]] std::string render_attempts_html(const ReportedRun& run);

/// The ranks of the newest attempt.
[[nodiscard]] std::string render_ranks_html(const ReportedRun& run);

[[nodiscard]] std::string render_checkpoints_html(const ReportedRun& run);

/// Settings with their origins.
[[nodiscard]] std::string render_settings_html(const ReportedRun& run);

/// What ran, and where.
[[nodiscard]] std::string render_facts_html(const ReportedRun& run);

/// The values of a plot.
[[nodiscard]] std::string render_values_html(const Plot& plot);

}  // namespace ddp::cli
