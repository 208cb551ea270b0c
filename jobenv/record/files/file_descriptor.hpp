#pragma once

#include <cstddef>
#include <string_view>

namespace ddp {

/// Owns an open file.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

  /// Closes the file. The errno, or 0: on NFS and under quotas a failed write may be told only here.
  [[nodiscard]] int close();

 private:
  int number_ = -1;
};

/// Writes all of `text`, past short writes and interruptions. The errno, or 0.
[[nodiscard]] int write_all(int descriptor, std::string_view text);

/// Reads at most `count` bytes, less only at the end of the file, past interruptions. -1 and errno on
/// failure.
[[nodiscard]] std::ptrdiff_t read_up_to(int descriptor, char* into, std::size_t count);

}  // namespace ddp
