#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Where two files of one name are not the same.
struct FileDifference {
  std::string file;
  std::string tensor;  ///< the first one whose bytes differ; empty: what differs is no tensor
  std::optional<std::uint64_t> offset;  ///< of the first byte that differs; nullopt: one file is not there

  bool operator==(const FileDifference&) const = default;
};

struct CheckpointComparison {
  std::vector<std::string> files;  ///< that were compared, sorted
  std::vector<FileDifference> differences;

  [[nodiscard]] bool equal() const { return differences.empty(); }
};

/// The tensors of two checkpoints (each *.safetensors: parameters, state of the optimizer, random states),
/// byte for byte. An error when a file cannot be read, or when neither folder holds one.
[[nodiscard]] Expected<CheckpointComparison> compare_checkpoints(const std::filesystem::path& undisturbed,
                                                                 const std::filesystem::path& disturbed);

/// "optimizer.safetensors: tensor 'state.0.exp_avg' differs (byte 1024)".
[[nodiscard]] std::string render_difference(const FileDifference& difference);

}  // namespace ddp::cli
