#include "jobenv/agent/node/hang_watch.hpp"

#include <algorithm>

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;

constexpr int kPatience = 10;  // times the longest part seen
constexpr milliseconds kShortestInterval{100};
constexpr milliseconds kLongestInterval{1000};
constexpr int kMuchLater = 4;  // times the interval

milliseconds between(HangWatch::Time from, HangWatch::Time to) {
  return std::chrono::duration_cast<milliseconds>(to - from);
}

std::int64_t count_parts(const PageReading& before, const PageReading& now) {
  if (now.parts > before.parts) return static_cast<std::int64_t>(now.parts - before.parts);
  // The phase was left and entered again meanwhile, and counts anew.
  const auto steps = static_cast<std::int64_t>(now.step.value_or(0) - before.step.value_or(0));
  return std::max(steps, std::int64_t{1});
}

}  // namespace

HangFloors hang_floors(const LaunchPlan& plan) {
  HangFloors floors;
  const milliseconds chosen = *plan.hang_timeout;
  floors.step = floors.evaluate = chosen;
  floors.checkpoint = std::max(floors.checkpoint, chosen);
  floors.start = std::max({floors.start, chosen, milliseconds(plan.rendezvous_timeout)});
  floors.collective = milliseconds(plan.rendezvous_timeout) * 4 / 5;
  return floors;
}

milliseconds HangWatch::interval() const {
  return std::clamp(std::min(floors_.step, floors_.evaluate) / 10, kShortestInterval, kLongestInterval);
}

void HangWatch::add(int rank, Time now) {
  ranks_[rank] = {{}, now};
}

void HangWatch::begin_look(Time now) {
  const bool late = now_ && now - *now_ > kMuchLater * interval();
  before_ = late ? now : now_.value_or(now);
  now_ = now;
  if (!late) return;
  for (auto& [number, rank] : ranks_) rank.changed = now;
}

void HangWatch::observe(int number, const PageReading& page, bool waits_for_peers) {
  Rank& rank = ranks_.at(number);
  rank.has_waited |= waits_for_peers;
  if (page == rank.page) return;
  if (!rank.has_waited) learn(rank, page);
  rank.has_waited = waits_for_peers;
  rank.has_begun |= page.phase != Phase::start && page.parts > 0;
  rank.page = page;
  rank.changed = *now_;
}

/// Between two looks several parts may be done: they share that time. What was silent before belongs to the
/// first of them.
void HangWatch::learn(const Rank& rank, const PageReading& page) {
  milliseconds taken = std::max(between(rank.changed, *before_), milliseconds(0));
  if (page.phase == rank.page.phase) taken += between(*before_, *now_) / count_parts(rank.page, page);
  auto& longest = longest_[rank.page.phase];
  longest = std::max(longest, taken);
}

bool HangWatch::is_suspect(int number) const {
  const Rank& rank = ranks_.at(number);
  return silent_for(rank) >= timeout_if_stopped(rank);
}

bool HangWatch::hangs(int number, ProcessState process) const {
  const Rank& rank = ranks_.at(number);
  const bool stopped = is_stopped(process);
  return is_suspect(number) && silent_for(rank) >= (stopped ? timeout_if_stopped(rank) : timeout_of(rank));
}

Silence HangWatch::silence(int number) const {
  const Rank& rank = ranks_.at(number);
  return {rank.page.phase, rank.page.step, silent_for(rank), longest(rank.page.phase)};
}

milliseconds HangWatch::longest(const PhaseName& phase) const {
  const auto found = longest_.find(phase);
  return found == longest_.end() ? milliseconds(0) : found->second;
}

milliseconds HangWatch::floor_of(const PhaseName& phase) const {
  switch (phase.known().value_or(Phase::start)) {
    case Phase::step:
      return floors_.step;
    case Phase::checkpoint:
      return floors_.checkpoint;
    case Phase::evaluate:
      return floors_.evaluate;
    case Phase::start:
    case Phase::done:
      break;  // nothing is known of what a program does behind its training
  }
  return floors_.start;
}

milliseconds HangWatch::timeout(const PhaseName& phase) const {
  const milliseconds seen = longest(phase);
  milliseconds learned = kPatience * seen;
  if (phase == Phase::step) learned = std::min(learned, std::max(floors_.collective, 2 * seen));
  return std::max(floor_of(phase), learned);
}

milliseconds HangWatch::timeout_of(const Rank& rank) const {
  const milliseconds own = timeout(rank.page.phase);
  return rank.has_begun ? own : std::max(own, timeout(Phase::start));
}

milliseconds HangWatch::timeout_if_stopped(const Rank& rank) const {
  return std::min(timeout(Phase::step), timeout_of(rank));
}

milliseconds HangWatch::silent_for(const Rank& rank) const {
  return now_ ? std::max(between(rank.changed, *now_), milliseconds(0)) : milliseconds(0);
}

}  // namespace ddp::agent
