#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "jobenv/record/file_descriptor.hpp"
#include "trainer/data/byte_source.hpp"

namespace ddp::trainer {

/// A regular file, open to be read. Its bytes stay with the system, which all ranks of a host share, and
/// never count as memory of this process, as pages of a mapping do. Of a file that has been shortened
/// meanwhile what is gone cannot be read: an error, where access to a mapping ends the process (SIGBUS).
class OpenFile final : public ByteSource {
 public:
  /// Throws std::runtime_error, naming the file, when it cannot be read.
  explicit OpenFile(std::filesystem::path path);

  /// When it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  [[nodiscard]] int descriptor() const { return file_.get(); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  void read(std::uint64_t offset, std::span<std::uint8_t> bytes) const override;

  /// Asks the system to read all of it now, in the background: what is drawn at random is not read ahead.
  void read_ahead() const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace ddp::trainer
