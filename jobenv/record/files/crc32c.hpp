#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ddp {

/// CRC-32C (Castagnoli, as in iSCSI and ext4) of `bytes`. `before` is the sum of what came before them, so
/// that crc32c(b, crc32c(a)) is the sum of a followed by b. Uses the CPU's instruction where there is one.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// The same by table, for a CPU without the instruction.
[[nodiscard]] std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace ddp
