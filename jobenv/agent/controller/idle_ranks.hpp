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

/// How sure it is that ranks hang.
enum class Evidence {
  seen,     ///< none does anything, or one is stopped, or is known to wait for nobody
  guessed,  ///< one does nothing while others are busy, and nobody knows what it waits for
};

/// The ranks of a command that do nothing. A rank that waits for its peers may be one of them, and one that
/// computes or spins is none: that ranks differ is a suspicion, that all do nothing an observation, and that
/// all are busy is nothing. Knows no clock.
class IdleRanks {
 public:
  /// Instead of what was known of that rank.
  void add(IdleRank rank) { ranks_[rank.report.rank] = std::move(rank); }
  void remove(int rank) { ranks_.erase(rank); }
  [[nodiscard]] bool empty() const { return ranks_.empty(); }

  /// Whether find_cause may find something, once it is known where the ranks are.
  [[nodiscard]] bool is_worth_a_look(const std::vector<int>& living) const;
  struct Verdict {
    Failure cause;
    Evidence evidence = Evidence::seen;
  };
  /// What is wrong; nullopt: nothing is known to be. `living`: the ranks that have not ended.
  [[nodiscard]] std::optional<Verdict> find_cause(const std::vector<int>& living,
                                                  const RankPlaces& places) const;
  [[nodiscard]] std::vector<int> numbers() const;
  [[nodiscard]] std::vector<int> stopped() const;

 private:
  [[nodiscard]] std::vector<int> find_culprits(const std::vector<int>& living,
                                               const RankPlaces& places) const;
  [[nodiscard]] Failure blame(const std::vector<int>& culprits, const std::vector<int>& living,
                              const RankPlaces& places) const;
  [[nodiscard]] Failure observe(const std::vector<int>& living, const RankPlaces& places) const;

  std::map<int, IdleRank> ranks_;
};

}  // namespace ddp::agent
