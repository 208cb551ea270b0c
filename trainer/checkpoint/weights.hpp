#pragma once

#include <filesystem>

#include "trainer/checkpoint/tensor_files.hpp"
#include "trainer/checkpoint/training_state.hpp"

namespace ddp::trainer {

/// The parameters and buffers at `place`, open to be read by rows: a safetensors file, or a folder that is
/// - a checkpoint of ddptrain, whole or sharded,
/// - a model of Hugging Face: model.safetensors.index.json names the files, or there is only
///   model.safetensors,
/// - what PyTorch's HuggingFaceStorageWriter has written with save_distributed=True: shard-*-model-*.
/// Throws std::runtime_error that says what is wrong with it.
[[nodiscard]] TensorFiles open_weights(const std::filesystem::path& place);

/// All tensors of open_weights(), on the CPU. Those of a checkpoint are compared with its manifest. Throws
/// std::runtime_error, and std::system_error when the disk refuses.
[[nodiscard]] NamedTensors load_weights(const std::filesystem::path& place);

}  // namespace ddp::trainer
