#pragma once

#include <filesystem>

#include "cli/rehearsal/file_comparison.hpp"

namespace ddp::cli {

/// The tensors of two checkpoints (each *.safetensors: parameters, state of the optimizer, random states),
/// byte for byte. An error when a file cannot be read, or when neither folder holds one.
[[nodiscard]] Expected<ResultComparison> compare_checkpoints(const std::filesystem::path& undisturbed,
                                                             const std::filesystem::path& disturbed);

}  // namespace ddp::cli
