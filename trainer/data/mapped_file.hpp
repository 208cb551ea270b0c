#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace ddp::trainer {

/// The bytes of a regular file, mapped and not copied: all ranks of a host share the pages that they read. A
/// file that shrinks while it is mapped ends the process (SIGBUS).
class MappedFile {
 public:
  /// Throws std::runtime_error, naming the file, when it cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

  /// Asks the system to read all of it now, in the background: what is drawn at random is not read ahead.
  void read_ahead() const;

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace ddp::trainer
