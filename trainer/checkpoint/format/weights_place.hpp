#pragma once

#include <filesystem>
#include <string>

namespace ddp::trainer {

/// What PyTorch and Hugging Face call the list of which tensor is in which file.
inline constexpr const char* kWeightsIndex = "model.safetensors.index.json";

/// Where initial weights are read that `place` names: the folder of the newest checkpoint if it is a run
/// folder, that of the checkpoint which a file LATEST or BEST names, otherwise `place` itself. Reads no file
/// with tensors.
[[nodiscard]] std::filesystem::path find_weights(const std::filesystem::path& place);

/// Why there are no weights at `place`, which exists; empty when there are some. Looks for the files, opens
/// none but LATEST and BEST.
[[nodiscard]] std::string describe_missing_weights(const std::filesystem::path& place);

}  // namespace ddp::trainer
