#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/protocol/messages.hpp"

namespace ddp::agent {

struct StalledRank {
  std::string host;
  RankStalled report;
};

/// The ranks that have been reported as stalled, of which most only wait for the one that hangs. Knows no
/// clock.
class StalledRanks {
 public:
  /// Instead of what was known of that rank.
  void add(StalledRank rank) { ranks_[rank.report.rank] = std::move(rank); }
  void remove(int rank) { ranks_.erase(rank); }
  [[nodiscard]] const std::map<int, StalledRank>& ranks() const { return ranks_; }

  /// The rank that holds up the `living`: one that is stopped, or else hangs in the kernel, or does not wait
  /// for its peers as others do; when all of them are stalled, the one of the lowest step, or that runs while
  /// the others sleep, or none. nullopt: those that are stalled may wait for one that is at work.
  [[nodiscard]] std::optional<Failure> find_cause(std::size_t living) const;

 private:
  template <class Predicate>
  [[nodiscard]] std::vector<StalledRank> those(Predicate fits) const;
  [[nodiscard]] Failure find_cause_among_all() const;
  [[nodiscard]] bool stand_out(const std::vector<StalledRank>& some) const;

  std::map<int, StalledRank> ranks_;
};

}  // namespace ddp::agent
