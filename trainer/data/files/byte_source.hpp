#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace ddp::trainer {

/// Bytes of which pieces are read, at any place and in any order. Thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `bytes` with those from `offset` on. Throws std::runtime_error when they cannot be read; of a file
  /// it names the file.
  virtual void read(std::uint64_t offset, std::span<std::uint8_t> bytes) const = 0;
};

/// Bytes that are in memory; `owner` keeps them there.
class MemoryBytes final : public ByteSource {
 public:
  /// `bytes` are of a source that has been read, and whose parts are known.
  MemoryBytes(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> owner);

  void read(std::uint64_t offset, std::span<std::uint8_t> bytes) const override;

 private:
  std::span<const std::uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
};

}  // namespace ddp::trainer
