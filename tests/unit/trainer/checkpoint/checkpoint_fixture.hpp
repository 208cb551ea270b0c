#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/loaded_checkpoint.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/checkpoint/checkpoint.hpp"

namespace ddp::trainer {

/// A state whose every number and byte depends on `step`.
inline TrainingState state_of(std::uint64_t step) {
  const auto value = static_cast<float>(step);
  return {.step = step,
          .epoch = step / 10,
          .position = step % 10,
          .world_size = 2,
          .batch_size = static_cast<std::int64_t>(8 + step),
          .settings = {"train.max_steps: " + std::to_string(step)},
          .total_steps = static_cast<std::int64_t>(90 + step),
          .model = {{"fc.weight", at::full({2, 3}, value)}, {"fc.bias", at::full({2}, -value)}},
          .optimizer = {{"fc.weight.exp_avg", at::full({2, 3}, value / 3)}},
          .rng = {at::full({5}, value).to(torch::kUInt8), at::full({5}, value + 1).to(torch::kUInt8)},
          .extra = {{"scaler.scale", at::full({1}, value * 2)}}};
}

/// Checkpoints of a run in a folder of its own.
class Checkpoint : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path folder() const { return folder_ / "run" / "checkpoints"; }

  [[nodiscard]] CheckpointStore store(int attempt = 0) const {
    return {folder(), attempt, [attempt] { return attempt; }};
  }

  void save(std::uint64_t step, int attempt = 0, std::int64_t keep = 10) const {
    store(attempt).save(state_of(step), keep);
  }

  /// The step of the checkpoint that is loaded, whole; 0 for none.
  [[nodiscard]] std::uint64_t loaded_step() const {
    const auto state = load_newest_valid(store());
    if (!state) return 0;
    EXPECT_TRUE(same_state(*state, state_of(state->step)));
    return state->step;
  }

  [[nodiscard]] std::string load_error() const {
    try {
      (void)load_newest_valid(store());
    } catch (const NoValidCheckpoint& error) {
      return error.what();
    }
    return "";
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      names.push_back(entry.path().filename());
    return names;
  }

  explicit Checkpoint(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : folder_(parent) {}

  TemporaryFolder folder_;
};

}  // namespace ddp::trainer
