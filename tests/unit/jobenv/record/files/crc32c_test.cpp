#include "jobenv/record/files/crc32c.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <vector>

namespace ddp {
namespace {

std::vector<std::byte> ascending(std::size_t count) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

void expect_sum(std::span<const std::byte> bytes, std::uint32_t sum) {
  EXPECT_EQ(crc32c(bytes), sum);
  EXPECT_EQ(crc32c_by_table(bytes), sum);
}

TEST(Crc32c, EqualsThePublishedVectors) {  // RFC 3720, B.4, and the usual check value
  expect_sum({}, 0);
  expect_sum(std::as_bytes(std::span(std::string_view("123456789"))), 0xE3069283);
  expect_sum(std::vector(32, std::byte{0}), 0x8A9136AA);
  expect_sum(std::vector(32, std::byte{0xFF}), 0x62A8AB43);
  expect_sum(ascending(32), 0x46DD794E);
}

TEST(Crc32c, InstructionAndTableAgreeOnEveryLengthAndAlignment) {
  std::mt19937 engine(1);
  std::vector<std::byte> bytes(300);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine());
  for (std::size_t offset = 0; offset < 9; ++offset) {
    for (std::size_t count = 0; offset + count <= bytes.size(); ++count) {
      const auto part = std::span(bytes).subspan(offset, count);
      ASSERT_EQ(crc32c(part, 0x1234), crc32c_by_table(part, 0x1234)) << offset << " " << count;
    }
  }
}

TEST(Crc32c, GoesOnFromAnEarlierSum) {
  const auto bytes = ascending(100);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const auto whole = std::span<const std::byte>(bytes);
    ASSERT_EQ(crc32c(whole.subspan(cut), crc32c(whole.first(cut))), crc32c(whole)) << cut;
    ASSERT_EQ(crc32c_by_table(whole.subspan(cut), crc32c_by_table(whole.first(cut))), crc32c(whole)) << cut;
  }
}

}  // namespace
}  // namespace ddp
