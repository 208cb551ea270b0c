#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ddp::cli {

/// What a manifest says of a file.
struct FileSum {
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;

  bool operator==(const FileSum&) const = default;
};

/// What is wrong with a file of a checkpoint.
struct FileFault {
  std::string file;  ///< its name in the folder
  std::string what;  ///< without the name of the file: "is missing"

  bool operator==(const FileFault&) const = default;
};

/// "model.safetensors is missing"
[[nodiscard]] std::string render_fault(const FileFault& fault);

/// Reads the whole file if it has the right size. nullopt: it matches. Otherwise what is wrong, as the end of
/// a sentence about the file.
[[nodiscard]] std::optional<std::string> find_mismatch(const std::filesystem::path& file,
                                                       const FileSum& expected);

}  // namespace ddp::cli
