#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "cli/report/plot/plots.hpp"

namespace ddp::cli {

/// What the script of the page draws: `axes` (step, seconds since the start of the run, records, attempt),
/// `plots` with lines of an axis, and `heat`, null if there is none. Numbers have five digits; a bucket of
/// one record has no limits. `most_buckets` of each line: see buckets_of_page.
[[nodiscard]] nlohmann::json page_data(const ReportModel& model, std::span<const Plot> plots,
                                       std::size_t most_buckets);

/// So many that a page of all lines stays small; kMostBuckets at most.
[[nodiscard]] std::size_t buckets_of_page(std::span<const Plot> plots);

}  // namespace ddp::cli
