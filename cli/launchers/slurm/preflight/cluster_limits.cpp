#include "cli/launchers/slurm/preflight/cluster_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "cli/launchers/slurm/keys/slurm_options.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

using Found = std::optional<Error>;
using Fits = std::function<bool(const NodeGroup&)>;

/// One partition, and the run that would go there.
struct Subject {
  const RunSpec& spec;
  std::string partition;
  std::vector<NodeGroup> groups;  ///< never empty
  PartitionLimits limits;

  [[nodiscard]] int count_nodes(const Fits& fits) const {
    int nodes = 0;
    for (const auto& group : groups) nodes += fits(group) ? group.nodes : 0;
    return nodes;
  }
  /// That there are too few nodes at all is told once, by itself.
  [[nodiscard]] bool has_enough(const Fits& fits) const {
    const int all = count_nodes([](const NodeGroup&) { return true; });
    return count_nodes(fits) >= std::min(spec.resources.nodes, all);
  }
  [[nodiscard]] Error broken(const std::string& key, const std::string& asked, const std::string& limit,
                             std::string hint) const {
    return {ExitCode::preflight_failed, fmt::format("{} {}: partition '{}' {}", key, asked, partition, limit),
            std::move(hint), spec.origins.mark(key)};
  }
  /// "has at most 4 CPUs per node", or how many nodes have what is asked for.
  [[nodiscard]] std::string describe_limit(const Fits& fits, const std::string& at_most) const {
    const int nodes = count_nodes(fits);
    if (nodes == 0) return "has at most " + at_most + " per node";
    return fmt::format("has only {} node{} with that much", nodes, nodes == 1 ? "" : "s");
  }
};

std::int64_t most(const Subject& subject, const std::function<std::int64_t(const NodeGroup&)>& amount) {
  std::int64_t found = 0;
  for (const auto& group : subject.groups) found = std::max(found, amount(group));
  return found;
}

int cpus_of_node(const RunSpec& spec) {
  return spec.resources.tasks_per_node * spec.resources.cpus_per_task;
}

std::int64_t count_gres(const NodeGroup& group, const std::string& name, const std::string& type) {
  std::int64_t count = 0;
  for (const auto& gres : group.gres)
    count += gres.name == name && (type.empty() || gres.type == type) ? gres.count : 0;
  return count;
}

/// What the run wants on each node.
std::vector<GresCount> wanted_gres(const RunSpec& spec) {
  if (options_of<SlurmOptions>(spec).gres) return parse_gres(*options_of<SlurmOptions>(spec).gres);
  if (spec.resources.gpus_per_node == 0) return {};
  return {
      {.name = "gpu", .type = spec.resources.gpu_type.value_or(""), .count = spec.resources.gpus_per_node}};
}

bool fits_cpus(const RunSpec& spec, const NodeGroup& group) {
  return options_of<SlurmOptions>(spec).options.contains("overcommit") || group.cpus >= cpus_of_node(spec);
}

bool fits_memory(const RunSpec& spec, const NodeGroup& group) {
  constexpr std::uint64_t kMib = 1024 * 1024;
  return !spec.resources.memory_bytes || group.memory_mib >= *spec.resources.memory_bytes / kMib;
}

bool fits_gres(const RunSpec& spec, const NodeGroup& group) {
  return std::ranges::all_of(wanted_gres(spec), [&](const GresCount& wanted) {
    return count_gres(group, wanted.name, wanted.type) >= wanted.count;
  });
}

Found check_availability(const Subject& subject) {
  const auto& state = subject.groups.front().availability;
  if (state == "up" || state == "down") return std::nullopt;  // "down" queues jobs
  return subject.broken("slurm.partition", "is '" + subject.partition + "'",
                        "accepts no jobs: it is " + state, "choose another partition: sinfo --summarize");
}

Found check_time(const Subject& subject) {
  const auto& asked = subject.spec.resources.time;
  const auto& limit = subject.groups.front().time_limit;
  if (!asked || !limit || *asked <= *limit || subject.limits == PartitionLimits::lifted) return std::nullopt;
  return subject.broken("resources.time", "is " + render_duration(*asked),
                        "ends jobs after " + render_duration(*limit),
                        "set a time of at most " + render_duration(*limit) + ", or another slurm.partition");
}

Found check_nodes(const Subject& subject) {
  const int asked = subject.spec.resources.nodes;
  const int there = subject.count_nodes([](const NodeGroup&) { return true; });
  if (asked > there) {
    return subject.broken("resources.nodes", fmt::format("is {}", asked),
                          fmt::format("has {} node{}", there, there == 1 ? "" : "s"),
                          "ask for fewer nodes, or another slurm.partition");
  }
  const auto& limit = subject.groups.front().most_nodes;
  if (!limit || asked <= *limit || subject.limits == PartitionLimits::lifted) return std::nullopt;
  return subject.broken("resources.nodes", fmt::format("is {}", asked),
                        fmt::format("allows at most {} per job", *limit),
                        "ask for fewer nodes, or another slurm.partition");
}

Found check_cpus(const Subject& subject) {
  const auto& spec = subject.spec;
  const auto fits = [&](const NodeGroup& group) { return fits_cpus(spec, group); };
  if (subject.has_enough(fits)) return std::nullopt;
  const auto cpus = most(subject, [](const NodeGroup& group) { return group.cpus; });
  return subject.broken("resources.cpus_per_task",
                        fmt::format("asks for {} x {} CPUs per node", spec.resources.tasks_per_node,
                                    spec.resources.cpus_per_task),
                        subject.describe_limit(fits, fmt::format("{} CPU{}", cpus, cpus == 1 ? "" : "s")),
                        "lower tasks_per_node or cpus_per_task");
}

Found check_memory(const Subject& subject) {
  const auto fits = [&](const NodeGroup& group) { return fits_memory(subject.spec, group); };
  if (subject.has_enough(fits)) return std::nullopt;
  std::uint64_t mib = 0;
  for (const auto& group : subject.groups) mib = std::max(mib, group.memory_mib);
  return subject.broken("resources.memory",
                        fmt::format("is {} MiB per node", *subject.spec.resources.memory_bytes >> 20),
                        subject.describe_limit(fits, fmt::format("{} MiB", mib)), "ask for less memory");
}

/// "available: a40, v100"; empty when there is nothing to name.
std::string name_others(std::vector<std::string> names, const std::string& wanted) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  std::erase(names, "");
  if (auto hint = suggest(wanted, names); !hint.empty()) return hint;
  return names.empty() ? "ask for none, or choose another slurm.partition"
                       : "available: " + join_words(names, ", ");
}

std::vector<std::string> known_gres(const Subject& subject, const std::string GresCount::*field,
                                    const std::string& name) {
  std::vector<std::string> known;
  for (const auto& group : subject.groups) {
    for (const auto& gres : group.gres) {
      if (name.empty() || gres.name == name) known.push_back(gres.*field);
    }
  }
  return known;
}

Error explain_gres(const Subject& subject, const GresCount& wanted) {
  const bool by_key = !options_of<SlurmOptions>(subject.spec).gres;
  const bool by_type = by_key && subject.spec.resources.gpu_type;
  const std::string key = by_type ? "resources.gpu_type" : by_key ? "resources.gpus_per_node" : "slurm.gres";
  const std::string asked = by_type  ? "is '" + wanted.type + "'"
                            : by_key ? fmt::format("is {}", wanted.count)
                                     : "is '" + *options_of<SlurmOptions>(subject.spec).gres + "'";
  const std::string what = wanted.name == "gpu" ? "GPU" : wanted.name;
  const auto any = most(subject, [&](const NodeGroup& group) { return count_gres(group, wanted.name, {}); });
  if (any == 0) {
    return subject.broken(key, asked, "has no node with a " + what,
                          name_others(known_gres(subject, &GresCount::name, {}), wanted.name));
  }
  const auto fits = [&](const NodeGroup& group) {
    return count_gres(group, wanted.name, wanted.type) >= wanted.count;
  };
  const auto most_there =
      most(subject, [&](const NodeGroup& group) { return count_gres(group, wanted.name, wanted.type); });
  if (most_there == 0) {
    return subject.broken(key, asked, "has no " + what + " of type '" + wanted.type + "'",
                          name_others(known_gres(subject, &GresCount::type, wanted.name), wanted.type));
  }
  const std::string type = wanted.type.empty() ? "" : " of type '" + wanted.type + "'";
  return subject.broken(key, asked,
                        subject.describe_limit(fits, fmt::format("{} {}{}{}", most_there, what,
                                                                 most_there == 1 ? "" : "s", type)),
                        "ask for fewer");
}

Found check_gres(const Subject& subject) {
  for (const auto& wanted : wanted_gres(subject.spec)) {
    const auto fits = [&](const NodeGroup& group) {
      return count_gres(group, wanted.name, wanted.type) >= wanted.count;
    };
    if (!subject.has_enough(fits)) return explain_gres(subject, wanted);
  }
  return std::nullopt;
}

/// Only names joined by & are looked at: what else sbatch understands is left to Slurm.
Found check_constraint(const Subject& subject) {
  const auto& constraint = options_of<SlurmOptions>(subject.spec).constraint;
  if (!constraint || constraint->find_first_of("|[]()*, !") != std::string::npos) return std::nullopt;
  std::vector<std::string> known;
  for (const auto& group : subject.groups)
    known.insert(known.end(), group.features.begin(), group.features.end());
  std::string_view rest = *constraint;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('&'), rest.size());
    const std::string feature(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (std::ranges::find(known, feature) != known.end()) continue;
    return subject.broken("slurm.constraint", "is '" + *constraint + "'",
                          "has no node with the feature '" + feature + "'", name_others(known, feature));
  }
  return std::nullopt;
}

using Check = Found (*)(const Subject& subject);
constexpr std::array<Check, 7> kChecks{check_availability, check_time, check_nodes,     check_cpus,
                                       check_memory,       check_gres, check_constraint};

/// Each for itself may be there on enough nodes, and yet not on the same ones.
Found check_together(const Subject& subject) {
  const auto fits = [&](const NodeGroup& group) {
    return fits_cpus(subject.spec, group) && fits_memory(subject.spec, group) &&
           fits_gres(subject.spec, group);
  };
  if (subject.has_enough(fits)) return std::nullopt;
  return subject.broken(
      "resources.nodes", fmt::format("is {}", subject.spec.resources.nodes),
      fmt::format("has only {} with all the requested CPUs, memory and GPUs", subject.count_nodes(fits)),
      "request less of one of them, or fewer nodes");
}

Errors find_in_partition(const Subject& subject) {
  Errors errors;
  for (const auto check : kChecks) {
    if (auto error = check(subject)) errors.push_back(std::move(*error));
  }
  if (!errors.empty()) return errors;
  if (auto error = check_together(subject)) errors.push_back(std::move(*error));
  return errors;
}

std::vector<std::string> wanted_partitions(const RunSpec& spec, std::span<const NodeGroup> cluster) {
  std::vector<std::string> names;
  if (!options_of<SlurmOptions>(spec).partition) {
    for (const auto& group : cluster) {
      if (std::ranges::find(names, group.partition) != names.end()) continue;
      names.insert(group.is_default ? names.begin() : names.end(), group.partition);
    }
    return names;
  }
  std::string_view rest = *options_of<SlurmOptions>(spec).partition;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

Error explain_partition(const RunSpec& spec, const std::string& name, std::span<const NodeGroup> cluster) {
  std::vector<std::string> known;
  for (const auto& group : cluster) known.push_back(group.partition);
  return {ExitCode::preflight_failed, "slurm.partition is '" + name + "': the cluster has no such partition",
          name_others(std::move(known), name), spec.origins.mark("slurm.partition")};
}

Subject subject_of(const RunSpec& spec, const std::string& name, std::span<const NodeGroup> cluster,
                   PartitionLimits limits) {
  Subject subject{spec, name, {}, limits};
  std::ranges::copy_if(cluster, std::back_inserter(subject.groups),
                       [&](const NodeGroup& group) { return group.partition == name; });
  return subject;
}

}  // namespace

Errors find_broken_limits(const RunSpec& spec, std::span<const NodeGroup> cluster, PartitionLimits limits) {
  Errors errors;
  const auto names = wanted_partitions(spec, cluster);
  for (const auto& name : names) {
    const auto subject = subject_of(spec, name, cluster, limits);
    // A name that Slurm does not know spoils the whole list.
    if (subject.groups.empty()) return {explain_partition(spec, name, cluster)};
    auto found = find_in_partition(subject);
    if (found.empty()) return {};
    // A plugin may choose any of them, but most likely it is the default one.
    if (!options_of<SlurmOptions>(spec).partition && !errors.empty()) continue;
    errors.insert(errors.end(), found.begin(), found.end());
  }
  return errors;
}

Errors find_broken_limits_of_default(const RunSpec& spec, std::span<const NodeGroup> cluster) {
  const auto chosen = std::ranges::find_if(cluster, &NodeGroup::is_default);
  if (options_of<SlurmOptions>(spec).partition || chosen == cluster.end()) return {};
  return find_in_partition(subject_of(spec, chosen->partition, cluster, PartitionLimits::held));
}

bool some_qos_lifts_limits(std::string_view list) {
  return list.find("PartitionTimeLimit") != list.npos || list.find("PartitionMaxNodes") != list.npos;
}

}  // namespace ddp::cli
