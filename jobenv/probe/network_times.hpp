#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "ddp/jobenv/error.hpp"

/// What `ddptrain --probe` measures and prints, one JSON object a line.
namespace ddp {

/// Bytes that each side of a pair contributes to the two all-reduces.
inline constexpr std::size_t kSmallBytes = 1024;
inline constexpr std::size_t kLargeBytes = std::size_t{4} << 20;

/// All-reduces between two nodes, as the node `node` saw them. The best of several, so that what else the
/// nodes do does not count.
struct PairTime {
  int node = 0;
  int peer = 0;
  double small_seconds = 0;  ///< of kSmallBytes
  double large_seconds = 0;  ///< of kLargeBytes
  std::string problem = {};  ///< why there are no times; empty: there are

  bool operator==(const PairTime&) const = default;
};

/// One all-reduce of kSmallBytes among all ranks of the job.
struct GroupTime {
  int rank = 0;
  int world_size = 0;
  double seconds = 0;        ///< with the way into the group
  std::string problem = {};  ///< empty: it went well

  bool operator==(const GroupTime&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const PairTime& pair);
[[nodiscard]] nlohmann::json to_json(const GroupTime& group);
/// Strict, as parse_launch_plan is.
[[nodiscard]] Expected<PairTime> parse_pair_time(const nlohmann::json& json);
[[nodiscard]] Expected<GroupTime> parse_group_time(const nlohmann::json& json);

}  // namespace ddp
