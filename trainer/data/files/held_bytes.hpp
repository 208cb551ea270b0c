#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trainer/data/files/byte_source.hpp"
#include "trainer/data/files/open_file.hpp"

namespace ddp::trainer {

/// All bytes of something, for as long as they are looked through, and where to read pieces of them later.
struct HeldBytes {
  std::span<const std::uint8_t> bytes;  ///< valid as long as `owner` lives
  std::shared_ptr<const void> owner;
  std::shared_ptr<const ByteSource> source;
};

/// Of a file: maps it. Throws std::runtime_error, naming the file, when that cannot be done.
[[nodiscard]] HeldBytes hold(std::shared_ptr<const OpenFile> file);

/// Of memory, which `source` keeps, too.
[[nodiscard]] HeldBytes hold(std::vector<std::uint8_t> bytes);

}  // namespace ddp::trainer
