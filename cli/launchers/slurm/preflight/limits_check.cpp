#include "cli/launchers/slurm/preflight/limits_check.hpp"

#include <algorithm>
#include <map>

#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "cli/launchers/slurm/preflight/cluster_limits.hpp"

namespace ddp::cli {
namespace {

/// Whether sinfo hides nodes of a partition, such as those of a cloud that are switched off.
bool hides_nodes(std::span<const NodeGroup> cluster, const SlurmTools& tools) {
  const auto result = tools.ask({"scontrol", "--all", "--oneliner", "show", "partition"});
  if (!result || !result->succeeded()) return false;
  std::map<std::string, int> shown;
  for (const auto& group : cluster) shown[group.partition] += group.nodes;
  return std::ranges::any_of(parse_partition_sizes(result->out), [&](const auto& partition) {
    return shown[partition.first] < partition.second;
  });
}

/// That of the run is not told where its default one is meant; where nobody keeps accounts there is none.
bool may_be_lifted(const RunSpec& spec, const SlurmTools& tools) {
  if (options_of<SlurmOptions>(spec).qos) return true;
  const auto result =
      tools.ask({"sacctmgr", "--noheader", "--parsable2", "show", "qos", "format=name,flags"});
  return result && result->succeeded() && some_qos_lifts_limits(result->out);
}

}  // namespace

LimitsCheck check_limits(const RunSpec& spec, std::span<const NodeGroup> cluster, const SlurmTools& tools) {
  auto broken = find_broken_limits(spec, cluster, PartitionLimits::held);
  if (broken.empty()) return {Limits::kept, {}, find_broken_limits_of_default(spec, cluster)};
  if (hides_nodes(cluster, tools)) return {Limits::nodes_hidden, std::move(broken), {}};
  const bool others_are_kept = find_broken_limits(spec, cluster, PartitionLimits::lifted).empty();
  const bool lifted = others_are_kept && may_be_lifted(spec, tools);
  return {lifted ? Limits::lifted : Limits::broken, std::move(broken), {}};
}

}  // namespace ddp::cli
