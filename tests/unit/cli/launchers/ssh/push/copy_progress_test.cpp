#include "cli/launchers/ssh/push/copy_progress.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/fake_clock.hpp"

namespace ddp::cli {
namespace {

constexpr std::uint64_t kMega = 1u << 20;

class CopyProgressLines : public testing::Test {
 protected:
  FakeClock clock_;
  std::vector<std::string> said_;
  CopyProgress progress_{clock_, [this](const std::string& line) { said_.push_back(line); }};
};

TEST_F(CopyProgressLines, IsToldEveryFiveSecondsWithRateAndTimeLeft) {
  progress_.expect("node1", 100 * kMega);
  clock_.sleep(std::chrono::seconds(4));
  progress_.add("node1", 10 * kMega);
  EXPECT_TRUE(said_.empty());
  clock_.sleep(std::chrono::seconds(1));
  progress_.add("node1", 10 * kMega);
  progress_.add("node1", kMega);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_EQ(said_.front(), "node1: 20.0 MiB of 100.0 MiB, 4.0 MiB/s, 20 s left");
}

TEST_F(CopyProgressLines, OfManyHostsIsThatOfTheSlowest) {
  for (int host = 0; host < 8; ++host) progress_.expect("node" + std::to_string(host), 100 * kMega);
  clock_.sleep(std::chrono::seconds(5) - std::chrono::milliseconds(1));
  for (std::uint64_t host = 0; host < 8; ++host)
    progress_.add("node" + std::to_string(host), (host == 7 ? 100 : 90 - 10 * host) * kMega);
  clock_.sleep(std::chrono::milliseconds(1));
  progress_.add("node7", 0);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_TRUE(said_.front().starts_with("node6: 30.0 MiB of 100.0 MiB")) << said_.front();
  EXPECT_TRUE(said_.front().ends_with("; 3 other hosts are nearer to the end")) << said_.front();
}

TEST_F(CopyProgressLines, IsNotToldOfACopyThatIsDone) {
  progress_.expect("node1", kMega);
  clock_.sleep(std::chrono::seconds(6));
  progress_.add("node1", kMega);
  EXPECT_TRUE(said_.empty());
}

}  // namespace
}  // namespace ddp::cli
