#pragma once

#include <string_view>
#include <vector>

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

/// A host on which srun could not start the ranks.
struct FailedLaunch {
  std::string host;
  std::string why;  ///< in Slurm's words

  bool operator==(const FailedLaunch&) const = default;
};

/// What the ranks of a probe have printed, and srun.
struct ProbeReport {
  std::vector<NodeFacts> nodes;   ///< sorted by node rank; a node that said nothing is not there
  std::vector<PairTime> pairs;    ///< from both ends
  std::vector<GroupTime> groups;  ///< from each rank
  std::vector<FailedLaunch> failed_launches = {};
};

/// Adds the lines of one rank; what is no line of a probe is passed over. Pure.
void add_probe_lines(std::string_view text, ProbeReport& report);

/// "srun: error: Task launch for StepId=2.0 failed on node NAME: WHY", each in a line. Pure.
[[nodiscard]] std::vector<FailedLaunch> parse_failed_launches(std::string_view text);

/// The logs of the ranks 0 … `ranks` - 1 of attempt 0, and of the job. Logs that cannot be read are passed
/// over.
[[nodiscard]] ProbeReport load_probe_report(const RunFolder& folder, int ranks);

/// One result a pair, sorted. A problem at one end is a problem of the pair. Pure.
[[nodiscard]] std::vector<PairResult> merge_pairs(const std::vector<PairTime>& pairs);

}  // namespace ddp::cli
