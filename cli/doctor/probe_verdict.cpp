#include "cli/doctor/probe_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/doctor/amount_text.hpp"
#include "cli/doctor/node_verdict.hpp"
#include "cli/doctor/pair_verdict.hpp"
#include "cli/output/count_text.hpp"
#include "ddp/jobenv/host_list.hpp"

namespace ddp::cli {
namespace {

/// By node rank; "node 3" for one that nobody has named.
std::vector<std::string> name_hosts(const ProbeReport& report, const RunSpec& spec) {
  std::vector<std::string> hosts;
  for (int node = 0; node < spec.resources.nodes; ++node) hosts.push_back(fmt::format("node {}", node));
  for (const auto& node : report.nodes) {
    if (node.node_rank < spec.resources.nodes) hosts[static_cast<std::size_t>(node.node_rank)] = node.host;
  }
  return hosts;
}

Finding judge_end(const RunStatus& status) {
  if (status.state == RunState::succeeded) return {.found = "ran on all nodes", .check = "probe"};
  return {.verdict = Verdict::error,
          .found = fmt::format("{}: {}", words_of(status.state), status.message),
          .advice = "the probe starts like any run: what stops the probe would stop your run, too",
          .check = "probe",
          .host = status.cause ? status.cause->host : ""};
}

/// Of the ranks' times the longest: the group is complete when its last rank is.
Finding judge_group(const std::vector<GroupTime>& groups, const RunSpec& spec) {
  double longest = 0;
  for (const auto& group : groups) {
    if (!group.problem.empty()) {
      return {.verdict = Verdict::error,
              .found = fmt::format("rank {} of {}: {}", group.rank, group.world_size, group.problem),
              .advice =
                  "each pair works, but all ranks together do not: check the limits on open files and "
                  "connections",
              .check = "process group"};
    }
    longest = std::max(longest, group.seconds);
  }
  if (static_cast<int>(groups.size()) < spec.world_size())
    return {.verdict = Verdict::skipped,
            .found = "not checked: the ranks did not get that far",
            .check = "process group"};
  return {.found = fmt::format("{} joined over Gloo and did an all-reduce in {}",
                               render_count(groups.size(), "rank"), render_seconds(longest)),
          .check = "process group"};
}

Finding judge_launch(const FailedLaunch& launch) {
  return {.verdict = Verdict::error,
          .found = launch.found,
          .advice = launch.advice,
          .check = "start",
          .host = launch.host};
}

/// A word that no node knows is mistyped; nodes that lack it while others have it are to blame.
Findings judge_program(const std::vector<NodeFacts>& nodes) {
  Findings findings;
  std::vector<std::string> hosts;
  for (const auto& node : nodes) {
    if (node.program_problem.empty()) continue;
    hosts.push_back(node.host);
    findings.push_back(
        {.verdict = Verdict::error,
         .found = node.program_problem,
         .advice = "other nodes have it: install it on this node, or in a folder that all nodes share",
         .check = "program",
         .host = node.host});
  }
  if (hosts.empty() || hosts.size() < nodes.size()) return findings;
  return {{.verdict = Verdict::error,
           .found = fmt::format("{}, on {}", nodes.front().program_problem, HostList(hosts).compress()),
           .advice = "check the first word of 'command:'",
           .check = "program"}};
}

/// If ddptrain fails on every node, the nodes are not to blame: one finding without a host replaces theirs.
void merge_trainer_findings(const std::vector<NodeFacts>& nodes, Findings& findings) {
  const auto is_of_trainer = [](const Finding& finding) { return finding.check == kTrainerCheck; };
  const auto first = std::ranges::find_if(findings, is_of_trainer);
  const auto count = static_cast<std::size_t>(std::ranges::count_if(findings, is_of_trainer));
  if (count == 0 || count < nodes.size()) return;
  std::vector<std::string> hosts;
  for (const auto& node : nodes) hosts.push_back(node.host);
  Finding merged = *first;
  merged.found += ", on " + HostList(hosts).compress();
  merged.advice = "check train.libtorch, LD_LIBRARY_PATH and the set-up lines of the run";
  merged.host.clear();
  std::erase_if(findings, is_of_trainer);
  findings.push_back(std::move(merged));
}

bool is_complete(const std::vector<NodeFacts>& nodes, const RunSpec& spec) {
  return static_cast<int>(nodes.size()) == spec.resources.nodes;
}

bool trainers_start(const std::vector<NodeFacts>& nodes) {
  return std::ranges::all_of(
      nodes, [](const NodeFacts& node) { return node.trainer.starts() && !node.trainer.version.empty(); });
}

void add(ProbeVerdict& verdict, Findings findings) {
  for (auto& finding : findings) verdict.findings.push_back(std::move(finding));
}

std::string explain_unmeasured(const ProbeReport& report, const RunSpec& spec) {
  if (trainers_start(report.nodes) || !is_complete(report.nodes, spec))
    return "not checked: not all ranks have connected";
  return shares_folder(spec) ? "not checked: ddptrain does not start on every node"
                             : "not checked: ddptrain is copied to the hosts when a training starts";
}

void add_network(ProbeVerdict& verdict, const ProbeReport& report, const RunSpec& spec,
                 std::set<std::string>& bad) {
  if (report.pairs.empty() && report.groups.empty()) {
    verdict.findings.push_back(
        {.verdict = Verdict::skipped, .found = explain_unmeasured(report, spec), .check = "all-reduce"});
    return;
  }
  const auto hosts = name_hosts(report, spec);
  if (spec.resources.nodes > 1) {
    auto pairs = judge_pairs(merge_pairs(report.pairs), hosts);
    for (const int node : pairs.suspects) bad.insert(hosts.at(static_cast<std::size_t>(node)));
    add(verdict, std::move(pairs.findings));
  }
  verdict.findings.push_back(judge_group(report.groups, spec));
}

/// What one node says against another's silence counts for the silent one.
bool blames_itself(const Finding& finding) {
  return finding.verdict == Verdict::error && !finding.host.empty();
}

}  // namespace

ProbeVerdict judge_probe(const ProbeReport& report, const RunStatus& status, const RunSpec& spec) {
  ProbeVerdict verdict;
  std::set<std::string> bad;
  verdict.findings.push_back(judge_end(status));
  for (const auto& launch : report.failed_launches) verdict.findings.push_back(judge_launch(launch));
  for (const auto& node : report.nodes) add(verdict, judge_node(node, spec));
  merge_trainer_findings(report.nodes, verdict.findings);
  add(verdict, judge_program(report.nodes));
  add_network(verdict, report, spec, bad);
  for (const auto& finding : verdict.findings) {
    if (blames_itself(finding)) bad.insert(finding.host);
  }
  verdict.bad_hosts = {bad.begin(), bad.end()};
  return verdict;
}

std::string exclude_argument(const std::vector<std::string>& hosts, const RunSpec& spec) {
  const auto exclude = spec.launcher->exclude_hosts;
  return hosts.empty() || exclude == nullptr ? std::string() : exclude(spec, hosts);
}

}  // namespace ddp::cli
