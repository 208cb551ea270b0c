#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddp::cli {

/// Generic resources of one kind on a node, such as four GPUs of type a40.
struct GresCount {
  std::string name;  ///< gpu, …
  std::string type;  ///< empty: none is told
  std::int64_t count = 0;

  bool operator==(const GresCount&) const = default;
};

/// "gpu:a40:4(S:0-1),shard:8,bandwidth:no_consume:4K", as Slurm writes what nodes have and takes what jobs
/// want. What is of another form, or without a number where one has to be, is passed over; without a count it
/// is one.
[[nodiscard]] std::vector<GresCount> parse_gres(std::string_view text);

/// Nodes of one partition that are alike.
struct NodeGroup {
  std::string partition;
  bool is_default = false;                         ///< of the partition
  std::string availability;                        ///< of the partition: up, down, drain, inact
  std::optional<std::chrono::seconds> time_limit;  ///< of the partition; nullopt: none
  std::optional<int> most_nodes;                   ///< of a job in the partition; nullopt: no limit
  int nodes = 0;
  int cpus = 0;
  std::uint64_t memory_mib = 0;
  std::vector<std::string> features;
  std::vector<GresCount> gres;

  bool operator==(const NodeGroup&) const = default;
};

/// For sinfo --exact --format: what parse_node_groups reads.
inline constexpr std::string_view kNodeGroupFormat = "%P|%a|%l|%s|%D|%c|%m|%f|%G";
/// Lines of another form are passed over.
[[nodiscard]] std::vector<NodeGroup> parse_node_groups(std::string_view text);

/// `scontrol --oneliner show partition`: how many nodes partitions have, those that sinfo hides with them.
[[nodiscard]] std::map<std::string, int> parse_partition_sizes(std::string_view text);

}  // namespace ddp::cli
