#include "cli/launchers/slurm/doctor/partition_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/output/table.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

std::string render_gres(const std::vector<GresCount>& gres) {
  std::vector<std::string> parts;
  for (const auto& one : gres)
    parts.push_back(fmt::format("{}:{}{}", one.name, one.type.empty() ? "" : one.type + ":", one.count));
  return parts.empty() ? "-" : join_words(parts, ",");
}

std::vector<std::string> render_group(const NodeGroup& group) {
  return {group.partition + (group.is_default ? " (default)" : ""),
          group.availability,
          group.time_limit ? render_duration(*group.time_limit) : "-",
          std::to_string(group.nodes),
          group.most_nodes ? std::to_string(*group.most_nodes) : "-",
          std::to_string(group.cpus),
          std::to_string(group.memory_mib),
          render_gres(group.gres)};
}

/// One row for the nodes of a partition that are alike.
std::vector<std::string> render_cluster(const std::vector<NodeGroup>& cluster) {
  std::vector<std::vector<std::string>> rows{
      {"PARTITION", "STATE", "MAX TIME", "NODES", "MAX A JOB", "CPUS", "MEMORY MIB", "GRES"}};
  for (const auto& group : cluster) rows.push_back(render_group(group));
  std::vector<std::string> lines;
  std::istringstream text(render_table(rows));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string names_of(const std::vector<NodeGroup>& cluster) {
  std::vector<std::string> names;
  for (const auto& group : cluster) {
    if (std::ranges::find(names, group.partition) == names.end()) names.push_back(group.partition);
  }
  return join_words(names, ", ");
}

/// Of a run that breaks a limit, or may.
Finding judge_broken(const LimitsCheck& check) {
  const auto& first = check.broken.front();
  if (check.limits == Limits::lifted) {
    return {.verdict = Verdict::warning,
            .found = first.message,
            .advice = "the run waits, unless its QOS lifts that limit: sacctmgr show qos format=name,flags"};
  }
  if (check.limits == Limits::nodes_hidden) {
    return {.verdict = Verdict::warning,
            .found = first.message + ", of the nodes that sinfo shows",
            .advice = "there may be others, such as cloud nodes: scontrol show partition"};
  }
  return {.verdict = Verdict::error, .found = first.message, .advice = first.hint};
}

}  // namespace

Finding judge_partitions(const std::vector<NodeGroup>& cluster, const LimitsCheck& check) {
  if (cluster.empty()) {
    return {.verdict = Verdict::error,
            .found = "you may not use any partition",
            .advice = "ask the administrators for an account"};
  }
  auto finding = check.broken.empty() ? Finding{.found = names_of(cluster)} : judge_broken(check);
  finding.details = render_cluster(cluster);
  return finding;
}

std::vector<OutOfService> parse_out_of_service(std::string_view text) {
  std::vector<OutOfService> groups;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find('|');
    const auto second = first == line.npos ? line.npos : line.find('|', first + 1);
    if (first == 0 || second == line.npos) continue;
    OutOfService group{line.substr(0, first), line.substr(first + 1, second - first - 1),
                       line.substr(second + 1)};
    while (!group.state.empty() && std::ispunct(static_cast<unsigned char>(group.state.back())) != 0)
      group.state.pop_back();  // "*": it does not answer
    if (group.reason == "none" || group.reason == "Not responding") group.reason.clear();
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(std::move(group));
  }
  return groups;
}

void add_out_of_service(const std::vector<OutOfService>& groups, Finding& finding) {
  std::vector<std::string> parts;
  for (const auto& group : groups) {
    parts.push_back(group.nodes + " " + group.state +
                    (group.reason.empty() ? "" : " (" + group.reason + ")"));
  }
  if (parts.empty()) return;
  finding.found += "; out of service: " + join_words(parts, ", ");
  if (finding.verdict != Verdict::ok) return;
  finding.verdict = Verdict::warning;
  finding.advice =
      "a run that needs them waits; to see who took them out of service, and when: sinfo --list-reasons";
}

}  // namespace ddp::cli
