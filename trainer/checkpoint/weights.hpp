#pragma once

#include <filesystem>
#include <stdexcept>

#include "trainer/checkpoint/tensor_files.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// There are no weights at a place that exists. Another attempt would find none either.
struct NoWeights : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The parameters and buffers at `place`, open to be read by rows: a safetensors file, a file LATEST or BEST
/// of a run, or a folder that is
/// - a checkpoint of ddptrain, whole or sharded,
/// - a run folder, which stands for its newest checkpoint,
/// - a model of Hugging Face: model.safetensors.index.json names the files, or there is only
///   model.safetensors,
/// - what PyTorch's HuggingFaceStorageWriter has written with save_distributed=True: shard-*-model-*.
/// Throws NoWeights if it is none of these, and std::runtime_error that says what else is wrong with it.
[[nodiscard]] TensorFiles open_weights(const std::filesystem::path& place);

/// All tensors of open_weights(), on the CPU. Those of a checkpoint are compared with its manifest. Throws
/// std::runtime_error, and std::system_error when the disk refuses.
[[nodiscard]] NamedTensors load_weights(const std::filesystem::path& place);

}  // namespace ddp::trainer
