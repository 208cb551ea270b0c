#pragma once

#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/launchers/slurm/preflight/limits_check.hpp"

namespace ddp::cli {

/// The partitions of a cluster and their limits, as a table in the details; an error when the run that
/// `check` is about could never start there, a warning when it is up to a QOS or to nodes that sinfo hides,
/// with the first reason. Pure.
[[nodiscard]] Finding judge_partitions(const std::vector<NodeGroup>& cluster, const LimitsCheck& check);

/// Nodes that take no jobs for the same reason.
struct OutOfService {
  std::string nodes;   ///< as Slurm writes a list: node[1-3]
  std::string state;   ///< down, drained, …
  std::string reason;  ///< of who has taken them out; none: empty
  bool operator==(const OutOfService&) const = default;
};

/// For `sinfo --format`. The reason stands last: it may hold a '|'.
inline constexpr std::string_view kOutOfServiceFormat = "%N|%T|%E";
/// Lines in that format, each once. Lines of another form are passed over.
[[nodiscard]] std::vector<OutOfService> parse_out_of_service(std::string_view text);

/// Names them in the finding; what was ok is then a warning. Pure.
void add_out_of_service(const std::vector<OutOfService>& groups, Finding& finding);

}  // namespace ddp::cli
