#pragma once

#include <cstddef>
#include <string>

#include "jobenv/record/file_descriptor.hpp"

namespace ddp::trainer {

/// Memory that several processes of one host have mapped. It has no name in a file system, so nothing of it
/// is left when the last of them ends, however it ends.
class SharedMemory {
 public:
  /// Zeros. Throws std::system_error.
  [[nodiscard]] static SharedMemory create(std::size_t bytes);

  /// What a process that still has it calls `address`. Throws std::system_error where it cannot be had: the
  /// process is gone, of another user, or in another namespace of process numbers.
  [[nodiscard]] static SharedMemory open(const std::string& address);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  /// For open() in another process of this host. Valid as long as this object is there.
  [[nodiscard]] std::string address() const;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  explicit SharedMemory(FileDescriptor descriptor);

  FileDescriptor descriptor_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ddp::trainer
