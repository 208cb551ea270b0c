#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <thread>

#include "jobenv/record/files/file_descriptor.hpp"
#include "trainer/data/files/byte_source.hpp"

namespace ddp::trainer {

/// Throws std::runtime_error: that `path` cannot be read, and why.
[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& why);

/// A regular file, open to be read. Its bytes are no pages of this process, as those of a mapping are: they
/// stay with the system, and all ranks of a host share them there. Of a file that has been shortened
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

  /// Has the system read its first GiB from now on, in the background: pieces that are drawn at random it
  /// would fetch one by one.
  void read_ahead();

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  std::jthread ahead_;  // uses the others
};

}  // namespace ddp::trainer
