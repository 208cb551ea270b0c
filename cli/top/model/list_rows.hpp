#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/top/model/top_data.hpp"

namespace ddp::cli {

/// Rows of a list; they point into the data that they were made of.
using RunRows = std::vector<const KnownRun*>;

/// What the rows of a list stand in order of.
enum class SortBy { activity, newest, name, progress, left, loss };

[[nodiscard]] std::string_view name_of(SortBy sort);
[[nodiscard]] SortBy next_of(SortBy sort);
[[nodiscard]] SortBy previous_of(SortBy sort);

/// The runs whose id, name, launcher, job or state holds `filter`, in order. By activity: those that run come
/// first, then those that wait, then those that have ended, the last to end first.
[[nodiscard]] RunRows list_runs(const TopData& data, SortBy sort, std::string_view filter);

/// The points of a sweep in the same way, `filter` may also be in their values; by activity they stand in
/// their own order.
[[nodiscard]] RunRows list_points(const KnownRun& sweep, SortBy sort, std::string_view filter);

}  // namespace ddp::cli
