#pragma once

#include <string>
#include <string_view>

namespace ddp::trainer {

/// The files of a checkpoint: those of all its ranks together.
inline constexpr const char* kModelFile = "model.safetensors";          // not in a sharded one
inline constexpr const char* kOptimizerFile = "optimizer.safetensors";  // likewise
inline constexpr const char* kRngFile = "rng.safetensors";
inline constexpr const char* kExtraFile = "extra.safetensors";  // only where there is something in it
inline constexpr const char* kStateFile = "state.json";

/// The parts of a state that are sharded, as the names of files have them.
inline constexpr std::string_view kModelPart = "model";
inline constexpr std::string_view kOptimizerPart = "optimizer";

/// The file of a rank with its rows of `part`, `shard-00001-model-00001-of-00001.safetensors` for rank 0, as
/// PyTorch's HuggingFaceStorageWriter names it.
[[nodiscard]] std::string render_shard_name(int rank, std::string_view part);

/// Whether it is the name of a shard of `part`, also one of several files of a rank, as PyTorch may write
/// them.
[[nodiscard]] bool is_shard_name(std::string_view name, std::string_view part);

}  // namespace ddp::trainer
