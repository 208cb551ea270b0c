#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// What the points of a sweep are: sweep.json in its folder. It never changes.
struct SweepRecord {
  std::vector<std::string> keys;                    ///< dotted paths
  std::vector<std::vector<nlohmann::json>> points;  ///< the values of the keys, in their order
  std::optional<int> at_once;                       ///< how many may run at the same time in a queue

  bool operator==(const SweepRecord&) const = default;
};

/// A value as it stands in YAML, on one line; what is no number, flag or list of them is a text.
[[nodiscard]] nlohmann::json parse_sweep_value(const std::string& text);
[[nodiscard]] std::string render_sweep_value(const nlohmann::json& value);

/// The text of the file.
[[nodiscard]] std::string render_sweep_record(const SweepRecord& record);
/// nullopt if the text is not a valid record.
[[nodiscard]] std::optional<SweepRecord> parse_sweep_record(std::string_view text);

/// Not synced.
[[nodiscard]] Expected<void> save_sweep_record(const RunFolder& sweep, const SweepRecord& record);
/// ExitCode::not_found when the folder is that of a single run.
[[nodiscard]] Expected<SweepRecord> load_sweep_record(const RunFolder& sweep);

}  // namespace ddp::cli
