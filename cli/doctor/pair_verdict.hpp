#pragma once

#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/doctor/probe_report.hpp"

namespace ddp::cli {

struct PairVerdict {
  Findings findings;
  std::vector<int> suspects;  ///< nodes that the findings blame, sorted
};

/// Whether any two nodes can exchange gradients, and about as fast as the others. A pair that failed is an
/// error. A pair is slow, which is a warning, when its small all-reduce takes 10 ms, or one of its times is
/// five times the best one of the job and more than noise. Times in the details. `hosts` by node rank; it is
/// longer than all node ranks in `pairs`. Pure.
[[nodiscard]] PairVerdict judge_pairs(const std::vector<PairResult>& pairs,
                                      const std::vector<std::string>& hosts);

/// Who is to blame for these pairs: the node that is in most of them, then whoever is in most of the others,
/// and so on. Of a pair that stands alone both, for nobody can tell. Sorted. Pure.
[[nodiscard]] std::vector<int> find_suspects(std::vector<NodePair> pairs);

/// Times between the nodes: a matrix of at most 16 nodes, else the slowest pairs. Pure.
[[nodiscard]] std::vector<std::string> render_pair_times(const std::vector<PairResult>& pairs,
                                                         const std::vector<std::string>& hosts);

}  // namespace ddp::cli
