#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/store/report/known_run.hpp"
#include "jobenv/record/metrics/merged_metrics.hpp"

namespace ddp::cli {

/// The metrics of a run, or of a point of a sweep, as other programs get them.
struct RunExport {
  std::string run_id;
  RunState state = RunState::unknown;
  std::optional<std::chrono::system_clock::time_point> started = {}, ended = {};
  std::optional<int> point = {};                                    ///< nullopt: a single run
  std::vector<std::pair<std::string, nlohmann::json>> values = {};  ///< of a point: keys of the sweep
  MergedMetrics records = {};
};

/// Of a sweep one of each point, in order. Reads metrics.jsonl.
[[nodiscard]] std::vector<RunExport> load_exports(const KnownRun& run);

}  // namespace ddp::cli
