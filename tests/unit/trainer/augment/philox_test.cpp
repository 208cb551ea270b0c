#include "trainer/augment/philox.hpp"

#include <ATen/core/PhiloxRNGEngine.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace ddp::trainer {
namespace {

// LibTorch's engine has the same counter: the offset below, the subsequence above.
TEST(Philox, IsTheGeneratorOfLibTorch) {
  const std::uint64_t numbers[] = {0, 1, 42, 0xFFFFFFFF, 0x100000000, 0x0123456789ABCDEF, 0xFFFFFFFFFFFFFFFF};
  for (const std::uint64_t key : numbers) {
    for (const std::uint64_t low : numbers) {
      for (const std::uint64_t high : numbers) {
        at::Philox4_32 engine(key, high, low);
        const PhiloxNumbers random = philox(key, low, high);
        for (const std::uint32_t word : random.words) EXPECT_EQ(word, engine());
      }
    }
  }
}

}  // namespace
}  // namespace ddp::trainer
