#include "jobenv/agent/controller/idle_ranks.hpp"

#include <algorithm>
#include <iterator>

#include "jobenv/agent/controller/stall_text.hpp"

namespace ddp::agent {
namespace {

std::vector<int> without(const std::vector<int>& all, const std::vector<int>& some) {
  std::vector<int> others;
  std::ranges::copy_if(all, std::back_inserter(others),
                       [&](int rank) { return std::ranges::count(some, rank) == 0; });
  return others;
}

std::string count_ranks(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " rank" : " ranks");
}

}  // namespace

std::vector<int> IdleRanks::numbers() const {
  std::vector<int> numbers;
  for (const auto& [number, rank] : ranks_) numbers.push_back(number);
  return numbers;
}

std::vector<int> IdleRanks::stopped() const {
  std::vector<int> numbers;
  for (const auto& [number, rank] : ranks_) {
    if (is_stopped(rank.report.process)) numbers.push_back(number);
  }
  return numbers;
}

/// All of them stopped: somebody has suspended the job.
bool IdleRanks::is_worth_a_look(const std::vector<int>& living) const {
  return !ranks_.empty() && stopped().size() < living.size();
}

std::optional<IdleRanks::Verdict> IdleRanks::find_cause(const std::vector<int>& living,
                                                        const RankPlaces& places) const {
  if (!is_worth_a_look(living) || places.are_all_stopped(living)) return std::nullopt;
  if (const auto culprits = find_culprits(living, places); !culprits.empty())
    return Verdict{blame(culprits, living, places)};
  if (ranks_.size() == living.size()) return Verdict{observe(living, places)};
  if (const auto idle = numbers(); ranks_.size() == 1 && living.size() > 2 && !places.is_known(idle.front()))
    return Verdict{blame(idle, living, places), Evidence::guessed};
  return std::nullopt;
}

/// Where others are busy, only a rank that is known not to wait for them is at fault.
std::vector<int> IdleRanks::find_culprits(const std::vector<int>& living, const RankPlaces& places) const {
  if (auto found = stopped(); !found.empty()) return found;
  const auto idle = numbers();
  if (idle.size() == living.size()) return places.find_apart(idle);
  std::vector<int> culprits;
  std::ranges::copy_if(idle, std::back_inserter(culprits),
                       [&](int rank) { return places.is_known(rank) && !places.waits_for_peers(rank); });
  return culprits;
}

/// "has done nothing for 61 s: it is in main (train.py:10), the other 3 ranks in all_reduce (…)".
Failure IdleRanks::blame(const std::vector<int>& culprits, const std::vector<int>& living,
                         const RankPlaces& places) const {
  const IdleRank& rank = ranks_.at(culprits.front());
  const auto others = without(living, culprits);
  std::string what = "has done nothing for " + render_seconds(rank.report.silent);
  if (is_stopped(rank.report.process)) what += ": " + render_process(rank.report.process);
  if (const auto place = places.place_of(rank.report.rank); !place.empty())
    what += (is_stopped(rank.report.process) ? ", in " : ": it is in ") + place;
  if (culprits.size() > 1) what += "; the same is true for " + count_ranks(culprits.size() - 1) + " more";
  if (const auto place = places.place_of_most(others); !place.empty()) {
    what += others.size() == 1 ? "; the other rank is in " : "; the other ranks are in ";
    what += place;
  } else if (ranks_.size() < living.size()) {
    what += ", while the other ranks are busy";
  }
  ExitRecord record;
  record.rank = rank.report.rank;
  record.host = rank.host;
  return {.what = what,
          .phrase = Phrase::predicate_with_step,
          .host = rank.host,
          .rank = record,
          .since = rank.report.since};
}

Failure IdleRanks::observe(const std::vector<int>& living, const RankPlaces& places) const {
  const auto newest =
      std::ranges::max_element(ranks_, {}, [](const auto& entry) { return entry.second.report.since; });
  const RankIdle& report = newest->second.report;
  std::string what = "no rank has printed, read or computed anything for " + render_seconds(report.silent);
  if (const auto place = places.place_of_most(living); !place.empty())
    what += living.size() == 1 ? ": the rank is in " + place
                               : ": most of the " + count_ranks(living.size()) + " are in " + place;
  return {.what = what, .host = {}, .rank = {}, .since = report.since};
}

}  // namespace ddp::agent
