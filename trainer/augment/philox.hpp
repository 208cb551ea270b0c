#pragma once

#include <cstdint>

#include "trainer/augment/host_device.hpp"

namespace ddp::trainer {

struct PhiloxNumbers {
  std::uint32_t words[4];
};

/// Philox4x32 of ten rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
/// 2011): 128 random bits that are a function of a key and a counter alone, so that nobody has to be asked
/// for the numbers before.
DDP_HOST_DEVICE constexpr PhiloxNumbers philox(std::uint64_t key, std::uint64_t counter_low,
                                               std::uint64_t counter_high) {
  constexpr std::uint32_t kRounds = 10;
  std::uint32_t a = static_cast<std::uint32_t>(counter_low);
  std::uint32_t b = static_cast<std::uint32_t>(counter_low >> 32);
  std::uint32_t c = static_cast<std::uint32_t>(counter_high);
  std::uint32_t d = static_cast<std::uint32_t>(counter_high >> 32);
  std::uint32_t key_low = static_cast<std::uint32_t>(key);
  std::uint32_t key_high = static_cast<std::uint32_t>(key >> 32);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const std::uint64_t left = std::uint64_t{0xD2511F53} * a;
    const std::uint64_t right = std::uint64_t{0xCD9E8D57} * c;
    a = static_cast<std::uint32_t>(right >> 32) ^ b ^ key_low;
    b = static_cast<std::uint32_t>(right);
    c = static_cast<std::uint32_t>(left >> 32) ^ d ^ key_high;
    d = static_cast<std::uint32_t>(left);
    key_low += 0x9E3779B9;
    key_high += 0xBB67AE85;
  }
  return {{a, b, c, d}};
}

}  // namespace ddp::trainer
