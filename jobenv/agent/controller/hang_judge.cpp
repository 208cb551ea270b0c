#include "jobenv/agent/controller/hang_judge.hpp"

#include <algorithm>
#include <utility>

namespace ddp::agent {

bool HangJudge::take(StalledRank rank) {
  stalled_.add(std::move(rank));
  return !std::exchange(collecting_, true);
}

bool HangJudge::take(IdleRank rank) {
  idle_.add(std::move(rank));
  return !std::exchange(collecting_, true);
}

bool HangJudge::remove(int rank) {
  looked_at_ = {};
  stalled_.remove(rank);
  idle_.remove(rank);
  return stalled_.ranks().empty() && idle_.empty() && std::exchange(told_, false);
}

bool HangJudge::begin_look(const std::vector<int>& living, std::set<AgentId> agents) {
  collecting_ = false;
  const bool stalled = stalled_.find_cause(living.size()).has_value();
  if (looks_ || (stalled && told_) || (!stalled && !idle_.is_worth_a_look(living))) return false;
  const auto before = std::exchange(looked_at_, {living, idle_.numbers(), idle_.stopped()});
  if (!stalled && looked_at_ == before) return false;
  looks_ = true;
  ++look_;
  places_.clear();
  awaited_ = std::move(agents);
  return true;
}

bool HangJudge::take(AgentId agent, const StacksTaken& taken) {
  if (!looks_ || taken.id != look_id()) return false;
  for (const RankStack& stack : taken.stacks) places_.add(stack);
  return forget(agent);
}

bool HangJudge::forget(AgentId agent) {
  return looks_ && awaited_.erase(agent) > 0 && awaited_.empty();
}

/// A rank that has told its steps is judged by these, which say more.
std::optional<IdleRanks::Verdict> HangJudge::judge(const std::vector<int>& living) {
  looks_ = false;
  auto cause = stalled_.find_cause(living.size());
  if (!cause) return idle_.find_cause(living, places_);
  cause->what += render_places(*cause, living);
  return IdleRanks::Verdict{std::move(*cause)};
}

/// "; it is in main (train.py:10), the others in all_reduce (…)".
std::string HangJudge::render_places(const Failure& cause, const std::vector<int>& living) const {
  std::vector<int> others;
  std::ranges::copy_if(living, std::back_inserter(others),
                       [&](int rank) { return !cause.rank || rank != cause.rank->rank; });
  const auto others_place = places_.place_of_most(others);
  if (!cause.rank) return others_place.empty() ? "" : "; most ranks are in " + others_place;
  const auto own_place = places_.place_of(cause.rank->rank);
  if (own_place.empty()) return {};
  std::string text = "; it is in " + own_place;
  if (!others_place.empty() && others_place != own_place)
    text += (others.size() == 1 ? ", the other rank in " : ", the other ranks in ") + others_place;
  return text;
}

}  // namespace ddp::agent
