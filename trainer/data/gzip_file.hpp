#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace ddp::trainer {

/// The content of a gzip file, decompressed.
struct UnpackedFile {
  std::span<const std::uint8_t> bytes;  ///< valid as long as `owner` lives
  std::shared_ptr<const void> owner;
};

[[nodiscard]] bool is_gzip(std::span<const std::uint8_t> bytes);

/// Decompresses it once for all ranks and starts: into a file of the user's cache (XDG_CACHE_HOME, else
/// ~/.cache), in ddpsubmit/unpacked, which is mapped. A source that has changed since gets a new one. Where
/// no such file can be made, into memory of this process. Throws std::runtime_error, naming the file, when it
/// is damaged, or holds more than 1 GiB. Thread-safe.
/// `gzip`: its bytes, as they are.
[[nodiscard]] UnpackedFile load_gzip(const std::filesystem::path& path, std::span<const std::uint8_t> gzip);

}  // namespace ddp::trainer
