#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/phase.hpp"
#include "jobenv/record/phase_form.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp {

/// What a rank did when it was last looked at.
struct LiveRank {
  int rank = 0;
  std::string host;
  PhaseName phase;
  std::optional<std::uint64_t> step;  ///< the last finished one; nullopt: it tells none
  std::optional<double> cpu_percent;  ///< of one CPU, since the look before, its children included
  std::uint64_t memory_bytes = 0;     ///< resident, its children included; what they share counts twice
  std::optional<double> gpu_percent =
      {};                              ///< of the time in which its GPUs were busy; nullopt: not seen on one
  std::uint64_t gpu_memory_bytes = 0;  ///< that it and its children hold on them
  std::string process;                 ///< running, sleeping, in_kernel, stopped, traced, unknown

  static void describe(auto& fields, auto& live) {
    fields.field("rank", live.rank, 0);
    fields.field("host", live.host);
    fields.field("phase", live.phase, PhaseForm{});
    fields.field("step", live.step);
    fields.field("cpu_percent", live.cpu_percent);
    fields.field("memory_bytes", live.memory_bytes);
    fields.field("gpu_percent", live.gpu_percent);
    fields.field("gpu_memory_bytes", live.gpu_memory_bytes);
    fields.field("process", live.process);
  }
  bool operator==(const LiveRank&) const = default;
};

/// All ranks of an attempt that live.
struct LiveSummary {
  int ranks = 0;
  std::optional<std::uint64_t> lowest_step, median_step, highest_step;
  std::map<std::string, std::uint64_t> phases;  ///< how many ranks are in each
  std::optional<double> cpu_percent;            ///< the mean
  std::uint64_t memory_bytes = 0;               ///< of all together

  static void describe(auto& fields, auto& summary) {
    fields.field("ranks", summary.ranks, 0);
    fields.field("lowest_step", summary.lowest_step);
    fields.field("median_step", summary.median_step);
    fields.field("highest_step", summary.highest_step);
    fields.field("phases", summary.phases);
    fields.field("cpu_percent", summary.cpu_percent);
    fields.field("memory_bytes", summary.memory_bytes);
  }
  bool operator==(const LiveSummary&) const = default;
};

/// What head sees of a run that goes on: live.json in the run folder, written by rename when something has
/// changed. It is of the attempt that it names, and stays behind when that has ended.
struct LiveRecord {
  int attempt = 0;
  std::chrono::system_clock::time_point time;  ///< by the clock of head's host
  std::optional<std::uint64_t> total_steps;    ///< of the whole run
  std::optional<double> seconds_per_step;      ///< since the first step of the attempt that head has seen
  /// When the time limit ends the job, or the run where no scheduler does; nullopt: no limit is known.
  std::optional<std::chrono::system_clock::time_point> job_end = {};
  std::map<std::string, double> metrics;  ///< the last values that rank 0 has told
  LiveSummary summary;
  /// All of them, by their numbers; of more than 256 those that differ from most: in their phase, by more
  /// than a step, or by a process that is stopped. At most 256.
  std::vector<LiveRank> ranks;

  bool operator==(const LiveRecord&) const = default;
};
inline constexpr std::size_t kMostLiveRanks = 256;

[[nodiscard]] nlohmann::json to_json(const LiveRecord& record);
/// Strict, as parse_launch_plan is.
[[nodiscard]] Expected<LiveRecord> parse_live_record(const nlohmann::json& json);

/// The record of the attempt; nullopt: there is none that can be read.
[[nodiscard]] std::optional<LiveRecord> load_live_record(const RunFolder& folder, int attempt);

}  // namespace ddp
