#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace ddp::trainer {

/// The bytes of a file, mapped and not copied: all ranks of a host share the pages that they read. The file
/// must not shrink while it is mapped.
class MappedFile {
 public:
  /// Throws std::runtime_error, naming the file, when it cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace ddp::trainer
