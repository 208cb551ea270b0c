#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "trainer/data/files/open_file.hpp"

namespace ddp::trainer {

/// All bytes of a regular file, mapped and not copied: for a look through them, after which it goes. A file
/// that shrinks while it is mapped ends the process (SIGBUS).
class MappedFile {
 public:
  /// Throws std::runtime_error, naming the file, when it cannot be read.
  explicit MappedFile(const std::filesystem::path& path) : MappedFile(OpenFile(path)) {}
  explicit MappedFile(const OpenFile& file);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace ddp::trainer
