#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "trainer/checkpoint/checkpoint.hpp"
#include "trainer/checkpoint/checkpoint_files.hpp"

namespace ddp::trainer {

/// The newest checkpoint of `store` that can be read, whole, with the score of BEST.
inline std::optional<TrainingState> load_newest_valid(
    const CheckpointStore& store,
    const std::function<void(const std::string&)>& on_invalid = [](const std::string&) {}) {
  std::optional<TrainingState> state;
  const auto fault_of = [&state](const std::filesystem::path& place) { return load_or_fault(place, state); };
  if (store.find_newest_valid(fault_of, on_invalid)) state->best = store.load_best_score(on_invalid);
  return state;
}

/// The checkpoint at `place`, whole.
inline TrainingState load_checkpoint(const std::filesystem::path& place) {
  std::optional<TrainingState> state;
  const auto fault_of = [&state](const std::filesystem::path& folder) {
    return load_or_fault(folder, state);
  };
  (void)find_valid_checkpoint(place, fault_of);
  return std::move(*state);
}

}  // namespace ddp::trainer
