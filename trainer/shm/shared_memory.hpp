#pragma once

#include <cstddef>
#include <string>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::trainer {

/// Memory that several processes of one host have mapped. It has no name in a file system, so nothing of it
/// is left when the last of them ends, however it ends.
class SharedMemory {
 public:
  /// Zeros. Throws std::system_error.
  [[nodiscard]] static SharedMemory create(std::size_t bytes);

  /// Takes pages for these bytes now, those of this thread's NUMA node: one that cannot be had later is a
  /// SIGBUS. Throws std::system_error.
  void reserve(std::size_t offset, std::size_t bytes) const;

  /// That of a process which still has it, by its address(). Throws std::system_error where it cannot be had:
  /// the process is gone, of another user, or has another /proc.
  [[nodiscard]] static SharedMemory open(const std::string& address);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  /// For open() in another process of this host, as long as this object is there. Throws std::system_error
  /// without /proc.
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
