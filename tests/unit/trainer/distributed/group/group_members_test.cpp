#include "trainer/distributed/group/group_members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace ddp::trainer {
namespace {

using testing::ElementsAre;

/// Rank `rank` of five, on a node of two and one of three.
GroupMembers all_of_five(int rank) {
  JobEnvironment job;
  job.rank = rank;
  job.world_size = 5;
  job.tasks_per_node = {2, 3};
  return GroupMembers::all_of(job, {});
}

TEST(GroupMembers, OfAJobAreItsRanks) {
  const GroupMembers all = all_of_five(3);
  EXPECT_EQ(all.rank(), 3);
  EXPECT_EQ(all.size(), 5);
  EXPECT_FALSE(all.share_a_node());
  EXPECT_THAT(all.own_job().tasks_per_node, ElementsAre(2, 3));
}

TEST(GroupMembers, OfOneNodeShareIt) {
  const GroupMembers first = all_of_five(0).pick({0, 1});
  EXPECT_TRUE(first.share_a_node());
  EXPECT_THAT(first.own_job().tasks_per_node, ElementsAre(2));
  EXPECT_TRUE(all_of_five(4).pick({4, 2}).share_a_node());
}

TEST(GroupMembers, OfTwoNodesShareNone) {
  const GroupMembers replicas = all_of_five(4).pick({4, 1});
  EXPECT_FALSE(replicas.share_a_node());
  EXPECT_EQ(replicas.own_job().rank, 0);
  EXPECT_EQ(replicas.own_job().world_size, 2);
  EXPECT_THAT(replicas.own_job().tasks_per_node, ElementsAre(1, 1));
  EXPECT_EQ(replicas.job.rank, 4);
}

TEST(GroupMembers, ArePickedByTheirPlacesInTheGroup) {
  const GroupMembers part = all_of_five(2).pick({4, 2, 1});
  EXPECT_EQ(part.rank(), 1);
  EXPECT_THAT(part.pick({1, 0}).ranks, ElementsAre(2, 4));
  EXPECT_TRUE(part.pick({1, 0}).share_a_node());
}

TEST(GroupMembers, WithoutThisRankAreRefused) {
  EXPECT_THROW((void)all_of_five(0).pick({1, 2}), std::invalid_argument);
  EXPECT_THROW((void)all_of_five(0).pick({}), std::invalid_argument);
}

TEST(GroupMembers, ThatAreNotThereOrTwiceAreRefused) {
  EXPECT_THROW((void)all_of_five(0).pick({0, 5}), std::invalid_argument);
  EXPECT_THROW((void)all_of_five(0).pick({0, -1}), std::invalid_argument);
  EXPECT_THROW((void)all_of_five(0).pick({0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace ddp::trainer
