#pragma once

#include <string_view>
#include <vector>

#include "cli/spec/run_spec.hpp"
#include "jobenv/probe/network_times.hpp"
#include "jobenv/probe/node_facts.hpp"
#include "jobenv/probe/pair_schedule.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// An all-reduce between two nodes, as seen from both ends.
struct PairResult {
  NodePair nodes;
  double small_seconds = 0;  ///< of the slower end; 0 when there is a problem
  double large_seconds = 0;
  std::string problem = {};

  bool operator==(const PairResult&) const = default;
};

/// A host on which the ranks could not be started.
struct FailedLaunch {
  std::string host;
  std::string found;   ///< what the launcher has said
  std::string advice;  ///< what to look at

  bool operator==(const FailedLaunch&) const = default;
};

/// What the ranks of a probe have printed, and what has started them.
struct ProbeReport {
  std::vector<NodeFacts> nodes;   ///< sorted by node rank; a node that said nothing is not there
  std::vector<PairTime> pairs;    ///< from both ends
  std::vector<GroupTime> groups;  ///< from each rank
  std::vector<FailedLaunch> failed_launches = {};
};

/// Adds the lines of one rank; what is no line of a probe is passed over. Pure.
void add_probe_lines(std::string_view text, ProbeReport& report);

/// The logs of the ranks of attempt 0, and of the job. Logs that cannot be read are passed
/// over.
[[nodiscard]] ProbeReport load_probe_report(const RunFolder& folder, const RunSpec& spec);

/// One result a pair, sorted. A problem at one end is a problem of the pair. Pure.
[[nodiscard]] std::vector<PairResult> merge_pairs(const std::vector<PairTime>& pairs);

}  // namespace ddp::cli
