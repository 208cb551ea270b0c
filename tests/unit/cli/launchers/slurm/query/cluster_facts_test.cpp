#include "cli/launchers/slurm/query/cluster_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Gres, IsANameATypeAndACount) {
  EXPECT_THAT(parse_gres("gpu"), ElementsAre(GresCount{"gpu", "", 1}));
  EXPECT_THAT(parse_gres("gpu:2"), ElementsAre(GresCount{"gpu", "", 2}));
  EXPECT_THAT(parse_gres("gpu:a40"), ElementsAre(GresCount{"gpu", "a40", 1}));
  EXPECT_THAT(parse_gres("gpu:a40:4(S:0,1),shard:8(S:0-1)"),
              ElementsAre(GresCount{"gpu", "a40", 4}, GresCount{"shard", "", 8}));
}

TEST(Gres, HasCountsInLargeUnitsAndOtherForms) {
  EXPECT_THAT(parse_gres("bandwidth:lustre:no_consume:4G,gres:shard:2K,gres/gpu:a40:1"),
              ElementsAre(GresCount{"bandwidth", "lustre", std::int64_t{4} << 30},
                          GresCount{"shard", "", 2048}, GresCount{"gpu", "a40", 1}));
}

TEST(Gres, OfAnotherFormIsPassedOver) {
  EXPECT_THAT(parse_gres("(null)"), IsEmpty());
  EXPECT_THAT(parse_gres(""), IsEmpty());
  EXPECT_THAT(parse_gres("craynetwork:x:4Q,gpu:1"), ElementsAre(GresCount{"gpu", "", 1}));
}

TEST(NodeGroups, AreTheLinesOfSinfo) {
  const auto groups = parse_node_groups(
      "debug*|up|1-00:00:00|1-4|3|8|4000|(null)|gpu:2\n"
      "big|drain|infinite|1-infinite|100|128|512000|ib,a100|(null)\n"
      "slurm_load_partitions: something else\n");
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0], (NodeGroup{.partition = "debug",
                                  .is_default = true,
                                  .availability = "up",
                                  .time_limit = std::chrono::hours(24),
                                  .most_nodes = 4,
                                  .nodes = 3,
                                  .cpus = 8,
                                  .memory_mib = 4000,
                                  .features = {},
                                  .gres = {{"gpu", "", 2}}}));
  EXPECT_EQ(groups[1], (NodeGroup{.partition = "big",
                                  .is_default = false,
                                  .availability = "drain",
                                  .time_limit = std::nullopt,
                                  .most_nodes = std::nullopt,
                                  .nodes = 100,
                                  .cpus = 128,
                                  .memory_mib = 512'000,
                                  .features = {"ib", "a100"},
                                  .gres = {}}));
}

}  // namespace
}  // namespace ddp::cli
