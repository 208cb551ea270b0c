#include "jobenv/record/run_state.hpp"

#include <algorithm>
#include <array>

namespace ddp {
namespace {

constexpr std::array<std::string_view, 10> kStates = {"queued",  "running",   "restarting", "succeeded",
                                                      "failed",  "timed_out", "preempted",  "cancelled",
                                                      "unknown", "requeued"};
constexpr auto kStatesOfRuns = static_cast<std::size_t>(RunState::requeued);

}  // namespace

std::string_view name_of(RunState state) {
  return kStates.at(static_cast<std::size_t>(state));
}

std::string words_of(RunState state) {
  return words_of(name_of(state));
}

std::string words_of(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

RunState parse_run_state(std::string_view word) {
  const auto end = kStates.begin() + kStatesOfRuns;
  const auto found = std::find(kStates.begin(), end, word);
  return found == end ? RunState::unknown : static_cast<RunState>(found - kStates.begin());
}

std::vector<std::string> run_state_names() {
  return {kStates.begin(), kStates.begin() + kStatesOfRuns};
}

bool is_final(RunState state) {
  switch (state) {
    case RunState::succeeded:
    case RunState::failed:
    case RunState::timed_out:
    case RunState::preempted:
    case RunState::cancelled:
      return true;
    case RunState::queued:
    case RunState::running:
    case RunState::restarting:
    case RunState::unknown:
    case RunState::requeued:
      return false;
  }
  return false;
}

}  // namespace ddp
