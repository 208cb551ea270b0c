#include "cli/doctor/probe_report.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {

void add_probe_lines(std::string_view text, ProbeReport& report) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto object = parse_json(line);
    if (auto node = parse_node_facts(object)) report.nodes.push_back(std::move(*node));
    if (auto pair = parse_pair_time(object)) report.pairs.push_back(std::move(*pair));
    if (auto group = parse_group_time(object)) report.groups.push_back(std::move(*group));
  }
}

namespace {

void add_failed_launches(const RunFolder& folder, const LauncherRow& launcher, ProbeReport& report) {
  if (launcher.parse_failed_launches == nullptr) return;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.head_log().parent_path(), error), end;
       !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(std::string(launcher.name) + "-")) continue;
    if (const auto text = load_file(entry->path()))
      report.failed_launches = launcher.parse_failed_launches(*text);
  }
}

}  // namespace

ProbeReport load_probe_report(const RunFolder& folder, const RunSpec& spec) {
  ProbeReport report;
  for (int rank = 0; rank < spec.world_size(); ++rank) {
    if (const auto text = load_file(folder.out(0, rank))) add_probe_lines(*text, report);
  }
  add_failed_launches(folder, *spec.launcher, report);
  std::ranges::sort(report.nodes, {}, &NodeFacts::node_rank);
  return report;
}

std::vector<PairResult> merge_pairs(const std::vector<PairTime>& pairs) {
  std::map<NodePair, PairResult> merged;
  for (const auto& pair : pairs) {
    const NodePair nodes{std::min(pair.node, pair.peer), std::max(pair.node, pair.peer)};
    auto& result = merged[nodes];
    result.nodes = nodes;
    result.small_seconds = std::max(result.small_seconds, pair.small_seconds);
    result.large_seconds = std::max(result.large_seconds, pair.large_seconds);
    if (result.problem.empty()) result.problem = pair.problem;
  }
  std::vector<PairResult> results;
  for (auto& [nodes, result] : merged) {
    if (!result.problem.empty()) result.small_seconds = result.large_seconds = 0;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace ddp::cli
