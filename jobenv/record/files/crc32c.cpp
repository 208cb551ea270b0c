#include "jobenv/record/files/crc32c.hpp"

#include <array>
#include <bit>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace ddp {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // bit-reversed

/// kTables[k][b]: the sum of byte b followed by k zero bytes ("slicing by 8").
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t sum = tables[k - 1][byte];
      tables[k][byte] = (sum >> 8) ^ tables[0][sum & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint64_t load_word(const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

std::uint32_t step_by_table(std::uint32_t sum, std::byte byte) {
  return (sum >> 8) ^ kTables[0][(sum ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
}

#ifdef __x86_64__
[[gnu::target("sse4.2")]] std::uint32_t crc32c_by_instruction(std::span<const std::byte> bytes,
                                                              std::uint32_t before) {
  std::uint64_t sum = ~before;
  const std::size_t words = bytes.size() / 8;
  for (std::size_t i = 0; i < words; ++i) sum = _mm_crc32_u64(sum, load_word(bytes.data() + i * 8));
  auto tail = static_cast<std::uint32_t>(sum);
  for (const std::byte byte : bytes.subspan(words * 8))
    tail = _mm_crc32_u8(tail, std::to_integer<unsigned char>(byte));
  return ~tail;
}
#endif

}  // namespace

std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t sum = ~before;
  const std::size_t words = bytes.size() / 8;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = load_word(bytes.data() + i * 8) ^ sum;
    sum = 0;
    for (std::size_t k = 0; k < 8; ++k) sum ^= kTables[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (const std::byte byte : bytes.subspan(words * 8)) sum = step_by_table(sum, byte);
  return ~sum;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
#ifdef __x86_64__
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return crc32c_by_instruction(bytes, before);
#endif
  return crc32c_by_table(bytes, before);
}

}  // namespace ddp
