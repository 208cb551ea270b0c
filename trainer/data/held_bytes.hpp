#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "trainer/data/byte_source.hpp"

namespace ddp::trainer {

/// All bytes of something, for as long as they are looked through, and where to read pieces of them later.
struct HeldBytes {
  std::span<const std::uint8_t> bytes;  ///< valid as long as `owner` lives
  std::shared_ptr<const void> owner;
  std::shared_ptr<const ByteSource> source;
};

/// Of a file: maps it, and asks the system to read all of it ahead. Throws std::runtime_error, naming the
/// file, when it cannot be read.
[[nodiscard]] HeldBytes hold_file(const std::filesystem::path& path);

/// Of memory, which `source` keeps, too.
[[nodiscard]] HeldBytes hold_memory(std::vector<std::uint8_t> bytes);

}  // namespace ddp::trainer
