#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobenv/agent/controller/rank_places.hpp"
#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/protocol/messages.hpp"

namespace ddp::agent {

struct IdleRank {
  std::string host;
  RankIdle report;
};

/// The ranks of a command that do nothing. A rank that waits for its peers may be one of them, and one that
/// computes or spins is none: that ranks differ is a suspicion, that all do nothing an observation, and that
/// all are busy is nothing. Knows no clock.
class IdleRanks {
 public:
  /// Instead of what was known of that rank.
  void add(IdleRank rank) { ranks_[rank.report.rank] = std::move(rank); }
  void remove(int rank) { ranks_.erase(rank); }
  void clear() { ranks_.clear(); }
  [[nodiscard]] bool empty() const { return ranks_.empty(); }

  /// Whether find_cause may find something, once it is known where the ranks are.
  [[nodiscard]] bool is_worth_a_look(const std::vector<int>& living) const;
  /// What is wrong; nullopt: nothing is known to be. `living`: the ranks that have not ended.
  [[nodiscard]] std::optional<Failure> find_cause(const std::vector<int>& living,
                                                  const RankPlaces& places) const;

 private:
  [[nodiscard]] std::vector<int> numbers() const;
  [[nodiscard]] std::vector<int> stopped() const;
  [[nodiscard]] std::vector<int> find_culprits(const std::vector<int>& living,
                                               const RankPlaces& places) const;
  [[nodiscard]] Failure blame(const std::vector<int>& culprits, const std::vector<int>& living,
                              const RankPlaces& places) const;
  [[nodiscard]] Failure observe(const std::vector<int>& living, const RankPlaces& places) const;

  std::map<int, IdleRank> ranks_;
};

}  // namespace ddp::agent
