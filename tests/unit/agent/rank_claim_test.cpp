#include "jobenv/agent/rank_claim.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace ddp::agent {
namespace {

TEST(RankClaim, IsOneProcessesAtATime) {
  const std::string run = "/runs/" + std::to_string(getpid());
  auto first = RankClaim::take(run, 0);
  ASSERT_TRUE(first);
  EXPECT_FALSE(RankClaim::take(run, 0));
  EXPECT_TRUE(RankClaim::take(run, 1));
  EXPECT_TRUE(RankClaim::take(run + "x", 0));
  first.reset();
  EXPECT_TRUE(RankClaim::take(run, 0));
}

}  // namespace
}  // namespace ddp::agent
