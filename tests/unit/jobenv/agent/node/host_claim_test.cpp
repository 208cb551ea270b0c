#include "jobenv/agent/node/host_claim.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace ddp::agent {
namespace {

TEST(HostClaim, IsOneProcessesAtATime) {
  const std::string run = "/runs/" + std::to_string(getpid());
  auto first = HostClaim::on_ranks(run, 0);
  ASSERT_TRUE(first);
  EXPECT_FALSE(HostClaim::on_ranks(run, 0));
  EXPECT_TRUE(HostClaim::on_ranks(run, 1));
  EXPECT_TRUE(HostClaim::on_ranks(run + "x", 0));
  EXPECT_TRUE(HostClaim::on_agent(run, 0)) << "that is something else";
  first.reset();
  EXPECT_TRUE(HostClaim::on_ranks(run, 0));
}

}  // namespace
}  // namespace ddp::agent
