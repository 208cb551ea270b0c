#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ddp/jobenv/error.hpp"

namespace ddp::cli {

/// Where two files of one name are not the same.
struct FileDifference {
  std::string file;
  std::string tensor;                   ///< the first tensor whose bytes differ; empty: they differ elsewhere
  std::optional<std::uint64_t> offset;  ///< of the first byte that differs; nullopt: one file is not there

  bool operator==(const FileDifference&) const = default;
};

struct ResultComparison {
  std::vector<std::string> files;  ///< that were compared, sorted
  std::vector<FileDifference> differences;
  std::vector<std::string> extra = {};  ///< files of the disturbed run alone; they do not count

  [[nodiscard]] bool equal() const { return differences.empty(); }
};

/// The files of these names in both folders, byte for byte. An error when a file cannot be read.
[[nodiscard]] Expected<ResultComparison> compare_files(const std::filesystem::path& undisturbed,
                                                       const std::filesystem::path& disturbed,
                                                       const std::set<std::string>& names);

/// "optimizer.safetensors: tensor 'state.0.exp_avg' differs, from byte 1024 of the file on".
[[nodiscard]] std::string render_difference(const FileDifference& difference);

}  // namespace ddp::cli
