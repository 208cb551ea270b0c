#include "jobenv/probe/memory.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

TEST(AvailableMemory, InBytes) {
  EXPECT_EQ(parse_available_memory("MemTotal:  2048 kB\nMemAvailable:   1024 kB\n"), 1024u * 1024);
}

TEST(AvailableMemory, NotTold) {
  EXPECT_EQ(parse_available_memory("MemTotal:  2048 kB\n"), 0u);
  EXPECT_EQ(parse_available_memory("MemAvailable:"), 0u);
}

TEST(AvailableMemory, OfThisMachine) {
  EXPECT_GT(measure_available_memory(), 0u);
}

}  // namespace
}  // namespace ddp
