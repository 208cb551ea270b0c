#include "cli/doctor/partition_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/output/table.hpp"
#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::optional<PartitionRow> parse_row(const std::string& line) {
  const auto fields = split(line, '|');
  if (fields.size() != 8) return std::nullopt;
  PartitionRow row{.name = fields[0],
                   .is_default = fields[0].ends_with('*'),
                   .state = fields[1],
                   .time_text = fields[2],
                   .time_limit = parse_slurm_time(fields[2]),
                   .nodes = static_cast<int>(parse_whole_number(fields[3]).value_or(0)),
                   .node_states = fields[4],
                   .cpus = fields[5],
                   .memory_mib = fields[6],
                   .gres = fields[7]};
  if (row.is_default) row.name.pop_back();
  return row;
}

std::vector<std::string> render_rows(const std::vector<PartitionRow>& rows) {
  std::vector<std::vector<std::string>> table{
      {"PARTITION", "STATE", "MAX TIME", "NODES A/I/O/T", "CPUS", "MEMORY MIB", "GRES"}};
  for (const auto& row : rows) {
    table.push_back({row.name + (row.is_default ? " (default)" : ""), row.state, row.time_text,
                     row.node_states, row.cpus, row.memory_mib, row.gres == "(null)" ? "-" : row.gres});
  }
  return split(render_table(table), '\n');
}

std::vector<PartitionRow> chosen_rows(const std::vector<PartitionRow>& rows, const RunSpec& spec) {
  std::vector<PartitionRow> chosen;
  std::ranges::copy_if(rows, std::back_inserter(chosen), [&](const PartitionRow& row) {
    return spec.slurm.partition ? row.name == *spec.slurm.partition : row.is_default;
  });
  return chosen;
}

std::string names_of(const std::vector<PartitionRow>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if (names.empty() || names.back() != row.name) names.push_back(row.name);
  }
  return join_words(names, ", ");
}

int count_nodes(const std::vector<PartitionRow>& rows) {
  int nodes = 0;
  for (const auto& row : rows) nodes += row.nodes;
  return nodes;
}

/// Why a run of `spec` does not fit into its partition; empty: it does.
std::string find_obstacle(const std::vector<PartitionRow>& chosen, const RunSpec& spec) {
  const auto& partition = chosen.front();
  const auto& wanted = spec.resources;
  if (partition.state != "up") return fmt::format("partition {} is {}", partition.name, partition.state);
  if (wanted.nodes > count_nodes(chosen)) {
    return fmt::format("resources.nodes is {}: partition {} has {}", wanted.nodes, partition.name,
                       count_nodes(chosen));
  }
  if (wanted.time && partition.time_limit && *wanted.time > *partition.time_limit) {
    return fmt::format("resources.time is {}: partition {} ends jobs after {}", render_duration(*wanted.time),
                       partition.name, partition.time_text);
  }
  const auto has_gpus = [](const PartitionRow& row) { return row.gres.find("gpu") != row.gres.npos; };
  if (wanted.gpus_per_node > 0 && std::ranges::none_of(chosen, has_gpus))
    return fmt::format("resources.gpus_per_node is {}: partition {} has no GPUs", wanted.gpus_per_node,
                       partition.name);
  return {};
}

Finding refused(std::string why, std::vector<std::string> details) {
  return {.verdict = Verdict::error,
          .found = std::move(why),
          .advice = "choose another one with slurm.partition=NAME, or ask for less",
          .details = std::move(details)};
}

}  // namespace

std::vector<PartitionRow> parse_partitions(std::string_view sinfo) {
  std::vector<PartitionRow> rows;
  for (const auto& line : split(sinfo, '\n')) {
    if (auto row = parse_row(line)) rows.push_back(std::move(*row));
  }
  return rows;
}

std::optional<std::chrono::seconds> parse_slurm_time(std::string_view text) {
  std::int64_t days = 0;
  const auto dash = text.find('-');
  if (dash != text.npos) {
    const auto number = parse_whole_number(text.substr(0, dash));
    if (!number) return std::nullopt;
    days = *number;
    text.remove_prefix(dash + 1);
  }
  std::vector<std::int64_t> parts;
  for (const auto& part : split(text, ':')) {
    const auto number = parse_whole_number(part);
    if (!number) return std::nullopt;
    parts.push_back(*number);
  }
  if (parts.empty() || parts.size() > 3) return std::nullopt;
  if (parts.size() == 1) parts.push_back(0);              // minutes
  if (parts.size() == 2) parts.insert(parts.begin(), 0);  // without hours
  return std::chrono::seconds(((days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2]);
}

Finding judge_partitions(const std::vector<PartitionRow>& rows, const RunSpec* spec) {
  auto details = render_rows(rows);
  if (rows.empty()) return refused("there are none that you may see", {});
  if (spec == nullptr) return {.found = names_of(rows), .details = std::move(details)};
  const auto chosen = chosen_rows(rows, *spec);
  if (chosen.empty()) {
    return refused(spec->slurm.partition ? "there is no partition " + *spec->slurm.partition
                                         : "there is no default partition",
                   std::move(details));
  }
  if (auto obstacle = find_obstacle(chosen, *spec); !obstacle.empty())
    return refused(std::move(obstacle), std::move(details));
  return {.found = "the run goes to " + chosen.front().name, .details = std::move(details)};
}

}  // namespace ddp::cli
