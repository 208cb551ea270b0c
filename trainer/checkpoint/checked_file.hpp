#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "jobenv/record/files/file_descriptor.hpp"
#include "trainer/checkpoint/format/file_sum.hpp"

namespace ddp::trainer {

/// Writes a new file (mode 0600) and sums it on the way. Every function throws std::system_error naming the
/// file.
class CheckedWriter {
 public:
  /// Refuses a path that exists.
  explicit CheckedWriter(std::filesystem::path path);

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// Makes the file durable and closes it. Its name is durable only after the fsync of its folder.
  FileSum finish();

 private:
  void write_back();

  std::filesystem::path path_;
  FileDescriptor file_;
  FileSum sum_;
  std::uint64_t written_back_ = 0;  ///< bytes that are on the disk already
};

/// Reads a file from its start and sums it on the way. Every function throws std::system_error naming the
/// file.
class CheckedReader {
 public:
  explicit CheckedReader(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t file_size() const { return file_size_; }
  [[nodiscard]] std::uint64_t remaining() const { return file_size_ - sum_.size; }

  /// Fills `into`. An end of the file before that is an error.
  void read(std::span<std::byte> into);

  /// The sum of what was read so far.
  [[nodiscard]] const FileSum& sum() const { return sum_; }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t file_size_ = 0;
  FileSum sum_;
};

}  // namespace ddp::trainer
