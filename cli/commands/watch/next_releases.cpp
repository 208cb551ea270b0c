#include "cli/commands/watch/next_releases.hpp"

#include <algorithm>
#include <utility>

#include "cli/commands/watch/question_pauses.hpp"
#include "cli/store/state/recorded_status.hpp"

namespace ddp::cli {

NextReleases::NextReleases(std::vector<RunPointer> runs, StatusResolver& resolver, const Clock& clock)
    : runs_(std::move(runs)),
      releases_(runs_.size()),
      resolver_(resolver),
      clock_(clock),
      next_look_(clock.steady() + QuestionPauses::kShortest),
      next_question_(next_look_) {}

void NextReleases::release() {
  if (runs_.empty() || clock_.steady() < next_look_) return;
  const auto chosen = choose();
  if (chosen.empty()) return;
  const auto pause =
      release_chosen(chosen) == Known::all ? QuestionPauses::kShortest : QuestionPauses::kLongest;
  next_look_ = clock_.steady() + pause;
}

std::vector<std::size_t> NextReleases::choose() {
  const auto now = clock_.steady();
  const bool all = now >= next_question_;
  if (all) next_question_ = now + QuestionPauses::kLongest;
  std::vector<std::size_t> chosen;
  for (std::size_t index = 0; index < runs_.size(); ++index) {
    if (all || releases_[index].is_due(load_recorded_status(runs_[index]))) chosen.push_back(index);
  }
  return chosen;
}

NextReleases::Known NextReleases::release_chosen(const std::vector<std::size_t>& chosen) {
  std::vector<RunPointer> runs;
  for (const auto index : chosen) runs.push_back(runs_[index]);
  const auto states = resolver_.resolve(runs);
  for (std::size_t place = 0; place < chosen.size(); ++place) {
    auto* launcher = resolver_.launcher(runs[place].launcher);
    if (launcher != nullptr) releases_[chosen[place]].release(states[place], *launcher);
  }
  const bool silent =
      std::ranges::any_of(states, [](const RunStatus& run) { return run.state == RunState::unknown; });
  return silent ? Known::some : Known::all;
}

}  // namespace ddp::cli
