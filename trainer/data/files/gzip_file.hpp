#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "trainer/data/files/held_bytes.hpp"

namespace ddp::trainer {

[[nodiscard]] bool is_gzip(std::span<const std::uint8_t> bytes);

/// Decompresses it once for all ranks and starts: into a file of the user's cache (XDG_CACHE_HOME, else
/// ~/.cache), in ddpsubmit/unpacked, which stays. A source that has changed since gets a new one. Where
/// no such file can be made, into memory of this process. Throws std::runtime_error, naming the file, when it
/// is damaged, or holds more than 1 GiB. Thread-safe.
/// `gzip`: its bytes, as they are.
[[nodiscard]] HeldBytes load_gzip(const std::filesystem::path& path, std::span<const std::uint8_t> gzip);

}  // namespace ddp::trainer
