#include "cli/store/run_id.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

TEST(RunId, IsTheNameAndEightCharacters) {
  const system_clock::time_point time{seconds(32 * 32 + 31)};
  EXPECT_EQ(make_run_id("job", time, 0), "job-010z0000");
  EXPECT_EQ(make_run_id("job", time, 33), "job-010z0011");
}

TEST(RunId, DiffersByTimeAndByChance) {
  const system_clock::time_point time{seconds(1'800'000'000)};
  EXPECT_NE(make_run_id("job", time, 1), make_run_id("job", time, 2));
  EXPECT_NE(make_run_id("job", time, 1), make_run_id("job", time + seconds(1), 1));
}

TEST(RunId, HoldsTheName) {
  EXPECT_EQ(name_in_run_id("my-job-010z0011"), "my-job");
  EXPECT_EQ(name_in_run_id("short"), "short");
  EXPECT_EQ(name_in_run_id("a_name_without_id"), "a_name_without_id");
}

TEST(Token, HasSixteenDigits) {
  EXPECT_EQ(make_token(0xabc), "0000000000000abc");
}

TEST(RandomNumber, IsNotTheSameTwice) {
  EXPECT_NE(random_number(), random_number());
}

}  // namespace
}  // namespace ddp::cli
