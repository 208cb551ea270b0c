#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/stacks/rank_stack.hpp"

namespace ddp {

/// Where the ranks of an attempt were at one time: a file in the folder `stacks` of a run, written by head.
/// `ddpsubmit stack` asks for one by a request there; when ranks seem to hang, head asks by itself.
struct StackRecord {
  int attempt = 0;
  std::chrono::system_clock::time_point time;  ///< by the clock of head's host
  int world_size = 0;                          ///< ranks that were asked
  std::vector<RankStack> ranks;                ///< that answered, by their numbers

  bool operator==(const StackRecord&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const StackRecord& record);
/// Strict, as parse_launch_plan is.
[[nodiscard]] Expected<StackRecord> parse_stack_record(const nlohmann::json& json);
/// Refuses a file that is no record, or is not there.
[[nodiscard]] Expected<StackRecord> load_stack_record(const std::filesystem::path& file);

/// What `ddpsubmit stack` wants: a file that it writes, and head removes.
struct StackRequest {
  std::vector<int> ranks;  ///< none: all

  bool operator==(const StackRequest&) const = default;
};
[[nodiscard]] nlohmann::json to_json(const StackRequest& request);
[[nodiscard]] Expected<StackRequest> parse_stack_request(const nlohmann::json& json);

}  // namespace ddp
