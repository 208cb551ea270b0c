#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/report/model/buckets.hpp"
#include "cli/report/model/phases.hpp"
#include "cli/report/model/rank_times.hpp"
#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// Something that is known of a run: settings, data, code, hosts, versions.
struct ReportFact {
  std::string section;
  std::string key;
  std::string text;
  std::string origin = {};  ///< of a setting: "run.yaml:4", "default"; empty: not known
};

struct SavedCheckpoint {
  int attempt = 0;
  std::int64_t step = 0;
  std::optional<std::chrono::system_clock::time_point> time = {};
  std::optional<std::int64_t> bytes = {};
  std::optional<double> stall_ms = {}, write_ms = {};
};

struct FailedCheckpoint {
  int attempt = 0;
  std::int64_t step = 0;
  std::optional<std::chrono::system_clock::time_point> time = {};
  std::string message;
};

/// All that the report tells of one run, or of a point of a sweep.
struct ReportedRun {
  KnownRun run;  ///< with plan, report, and the ranks of its attempts
  std::vector<ReportFact> facts = {};
  std::vector<ReducedRecords> series = {};
  RankTimes rank_times = {};
  std::vector<RunPhase> phases = {};
  std::vector<SavedCheckpoint> checkpoints = {};
  std::vector<FailedCheckpoint> failed_checkpoints = {};
};

struct ReportModel {
  std::vector<ReportedRun> runs = {};  ///< those that were asked for; of a sweep its points
  std::vector<KnownRun> sweeps = {};   ///< the sweeps among them, without details of the points
  std::chrono::system_clock::time_point now = {};
};

}  // namespace ddp::cli
