#include "cli/doctor/pair_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "cli/doctor/amount_text.hpp"
#include "cli/output/count_text.hpp"
#include "cli/output/table.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr double kSlowSmall = 10e-3;
constexpr double kSlowRatio = 5;
// What the scheduler of a busy machine may add.
constexpr double kSmallNoise = 2e-3;
constexpr double kLargeNoise = 20e-3;

constexpr std::size_t kLargestMatrix = 16;
constexpr std::size_t kMostPairsListed = 10;

bool is_slower(double seconds, double best, double noise) {
  return seconds > kSlowRatio * best && seconds > best + noise;
}

struct BestTimes {
  double small = std::numeric_limits<double>::infinity();
  double large = std::numeric_limits<double>::infinity();
};

BestTimes best_of(const std::vector<PairResult>& pairs) {
  BestTimes best;
  for (const auto& pair : pairs) {
    if (!pair.problem.empty()) continue;
    best.small = std::min(best.small, pair.small_seconds);
    best.large = std::min(best.large, pair.large_seconds);
  }
  return best;
}

bool is_slow(const PairResult& pair, const BestTimes& best) {
  return pair.small_seconds > kSlowSmall || is_slower(pair.small_seconds, best.small, kSmallNoise) ||
         is_slower(pair.large_seconds, best.large, kLargeNoise);
}

std::string name_pair(const NodePair& nodes, const std::vector<std::string>& hosts) {
  return hosts.at(static_cast<std::size_t>(nodes.low)) + " and " +
         hosts.at(static_cast<std::size_t>(nodes.high));
}

std::string render_times(const PairResult& pair) {
  if (!pair.problem.empty()) return "failed";
  return render_seconds(pair.small_seconds) + " / " + render_seconds(pair.large_seconds);
}

/// One finding for all pairs of a kind: who is to blame, and the pairs.
Finding blame(Verdict verdict, const std::string& what, const std::vector<PairResult>& bad,
              const std::vector<int>& suspects, const std::vector<std::string>& hosts) {
  std::vector<std::string> names;
  for (const int node : suspects) names.push_back(hosts.at(static_cast<std::size_t>(node)));
  Finding finding{
      .verdict = verdict,
      .found = fmt::format("{} {}: {}", join_words(names, " or "), what, render_count(bad.size(), "pair")),
      .advice = "check its network: link, switch port, firewall, routes",
      .check = "all-reduce"};
  if (names.size() == 1) finding.host = names.front();
  for (const auto& pair : bad) {
    finding.details.push_back(name_pair(pair.nodes, hosts) + ": " +
                              (pair.problem.empty() ? render_times(pair) : pair.problem));
  }
  return finding;
}

template <class Predicate>
std::vector<PairResult> select(const std::vector<PairResult>& pairs, Predicate fits) {
  std::vector<PairResult> selected;
  std::ranges::copy_if(pairs, std::back_inserter(selected), fits);
  return selected;
}

std::vector<NodePair> nodes_of(const std::vector<PairResult>& pairs) {
  std::vector<NodePair> nodes;
  for (const auto& pair : pairs) nodes.push_back(pair.nodes);
  return nodes;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> render_matrix(const std::vector<PairResult>& pairs,
                                       const std::vector<std::string>& hosts) {
  std::vector<std::vector<std::string>> rows(hosts.size() + 1, std::vector<std::string>(hosts.size() + 1));
  for (std::size_t node = 0; node < hosts.size(); ++node) {
    rows[0][node + 1] = rows[node + 1][0] = hosts[node];
    rows[node + 1][node + 1] = "-";
  }
  for (const auto& pair : pairs) {
    const auto low = static_cast<std::size_t>(pair.nodes.low) + 1;
    const auto high = static_cast<std::size_t>(pair.nodes.high) + 1;
    rows[low][high] = rows[high][low] = render_times(pair);
  }
  return lines_of(render_table(rows));
}

std::vector<std::string> render_slowest(std::vector<PairResult> pairs,
                                        const std::vector<std::string>& hosts) {
  std::ranges::sort(pairs, std::greater{}, &PairResult::large_seconds);
  if (pairs.size() > kMostPairsListed) pairs.resize(kMostPairsListed);
  std::vector<std::string> lines{"the slowest pairs:"};
  for (const auto& pair : pairs) lines.push_back(name_pair(pair.nodes, hosts) + ": " + render_times(pair));
  return lines;
}

void count(const std::vector<NodePair>& pairs, std::map<int, int>& counts) {
  for (const auto& pair : pairs) {
    ++counts[pair.low];
    ++counts[pair.high];
  }
}

}  // namespace

std::vector<int> find_suspects(std::vector<NodePair> pairs) {
  std::set<int> suspects;
  while (!pairs.empty()) {
    std::map<int, int> counts;
    count(pairs, counts);
    const auto worst = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (worst->second == 1) {
      for (const auto& [node, bad] : counts) suspects.insert(node);
      break;
    }
    suspects.insert(worst->first);
    std::erase_if(
        pairs, [node = worst->first](const NodePair& pair) { return pair.low == node || pair.high == node; });
  }
  return {suspects.begin(), suspects.end()};
}

std::vector<std::string> render_pair_times(const std::vector<PairResult>& pairs,
                                           const std::vector<std::string>& hosts) {
  return hosts.size() <= kLargestMatrix ? render_matrix(pairs, hosts) : render_slowest(pairs, hosts);
}

PairVerdict judge_pairs(const std::vector<PairResult>& pairs, const std::vector<std::string>& hosts) {
  PairVerdict verdict;
  const auto best = best_of(pairs);
  const auto failed = select(pairs, [](const PairResult& pair) { return !pair.problem.empty(); });
  const auto slow =
      select(pairs, [&](const PairResult& pair) { return pair.problem.empty() && is_slow(pair, best); });
  verdict.findings.push_back(
      {.found = fmt::format("{} of nodes, {} without errors; times for {} B and {} MiB",
                            render_count(pairs.size(), "pair"), pairs.size() - failed.size(), kSmallBytes,
                            kLargeBytes >> 20),
       .details = render_pair_times(pairs, hosts),
       .check = "all-reduce"});
  const auto blame_all = [&](Verdict grade, const std::string& what, const std::vector<PairResult>& bad) {
    if (bad.empty()) return;
    const auto suspects = find_suspects(nodes_of(bad));
    verdict.findings.push_back(blame(grade, what, bad, suspects, hosts));
    verdict.suspects.insert(verdict.suspects.end(), suspects.begin(), suspects.end());
  };
  blame_all(Verdict::error, "cannot exchange data with others", failed);
  blame_all(Verdict::warning, "is slower than the rest", slow);
  std::ranges::sort(verdict.suspects);
  const auto repeats = std::ranges::unique(verdict.suspects);
  verdict.suspects.erase(repeats.begin(), repeats.end());
  return verdict;
}

}  // namespace ddp::cli
