#include "trainer/checkpoint/state_file.hpp"

#include <torch/version.h>

#include <stdexcept>
#include <utility>

#include "trainer/checkpoint/format/checkpoint_state.hpp"
#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/text_file.hpp"

namespace ddp::trainer {
namespace {

/// Without the tensors.
TrainingState training_state_of(CheckpointState state) {
  TrainingState training;
  training.step = state.step;
  training.epoch = state.epoch;
  training.position = state.position;
  training.world_size = static_cast<int>(state.world_size);
  training.shards = static_cast<int>(state.shards);
  training.batch_size = state.batch_size;
  training.settings = std::move(state.settings);
  training.total_steps = state.total_steps;
  training.libtorch = std::move(state.libtorch);
  return training;
}

}  // namespace

FileSum save_state_file(const std::filesystem::path& file, const TrainingState& state,
                        const std::vector<std::string>& shard_files) {
  return save_text(file, render_checkpoint_state({.step = state.step,
                                                  .epoch = state.epoch,
                                                  .position = state.position,
                                                  .world_size = state.world_size,
                                                  .shards = state.shards,
                                                  .batch_size = state.batch_size,
                                                  .settings = state.settings,
                                                  .total_steps = state.total_steps,
                                                  .extra_tensors = state.extra.size(),
                                                  .libtorch = TORCH_VERSION,
                                                  .shard_files = shard_files}));
}

StateFile parse_state_of(const std::filesystem::path& folder, std::string_view text) {
  auto state = parse_checkpoint_state(text, folder);
  if (!state) throw std::runtime_error("'" + (folder / kStateFile).string() + "' " + state.error());
  const std::size_t extra_tensors = state->extra_tensors;
  auto shard_files = std::move(state->shard_files);
  return {.state = training_state_of(std::move(*state)),
          .extra_tensors = extra_tensors,
          .shard_files = std::move(shard_files)};
}

}  // namespace ddp::trainer
