#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// Nodes of one kind in one partition, as sinfo tells of them.
struct PartitionRow {
  std::string name;
  bool is_default = false;
  std::string state;                               ///< up, down, drain, inact
  std::string time_text;                           ///< the limit as Slurm writes it
  std::optional<std::chrono::seconds> time_limit;  ///< nullopt: none, or not understood
  int nodes = 0;
  std::string node_states;  ///< allocated/idle/other/total
  std::string cpus;         ///< a node
  std::string memory_mib;   ///< a node
  std::string gres;         ///< (null): none

  bool operator==(const PartitionRow&) const = default;
};

/// For sinfo --format: what parse_partitions reads.
inline constexpr std::string_view kSinfoFormat = "%P|%a|%l|%D|%F|%c|%m|%G";

/// Lines of another form are passed over. Pure.
[[nodiscard]] std::vector<PartitionRow> parse_partitions(std::string_view sinfo);

/// "[D-]HH:MM:SS", "MM:SS" or minutes; nullopt for infinite and for what is none of these. Pure.
[[nodiscard]] std::optional<std::chrono::seconds> parse_slurm_time(std::string_view text);

/// Whether a run of `spec` (null: any) fits into its partition: it is there, up, has nodes and GPUs enough,
/// and lets jobs run as long. The table is in the details. Pure.
[[nodiscard]] Finding judge_partitions(const std::vector<PartitionRow>& rows, const RunSpec* spec);

}  // namespace ddp::cli
