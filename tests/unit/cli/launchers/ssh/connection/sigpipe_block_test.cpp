#include "cli/launchers/ssh/connection/sigpipe_block.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace ddp::cli {
namespace {

void write_to_nobody() {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
}

TEST(SigpipeBlock, AWriteToNobodyIsAnError) {
  const SigpipeBlock outer;
  {
    const SigpipeBlock inner;
    write_to_nobody();
  }
  write_to_nobody();
}

TEST(SigpipeBlockDeathTest, BehindItTheSignalIsWhatItWas) {
  {
    const SigpipeBlock block;
    write_to_nobody();
  }
  EXPECT_EXIT(write_to_nobody(), testing::KilledBySignal(SIGPIPE), "");
}

}  // namespace
}  // namespace ddp::cli
