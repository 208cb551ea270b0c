#include "cli/launchers/slurm/doctor/partition_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const std::vector<NodeGroup> kCluster = parse_node_groups(
    "debug*|up|1:00:00|1-2|3|4|4000|(null)|(null)\n"
    "gpu|up|2-00:00:00|1-infinite|2|64|512000|(null)|gpu:a100:4(S:0-1),shard:8\n"
    "gpu|up|2-00:00:00|1-infinite|1|32|256000|(null)|gpu:2\n");

TEST(Partitions, AreATable) {
  const auto finding = judge_partitions(kCluster, {});
  EXPECT_EQ(finding.verdict, Verdict::ok);
  EXPECT_EQ(finding.found, "debug, gpu");
  EXPECT_THAT(
      finding.details,
      ElementsAre("PARTITION        STATE  MAX TIME  NODES  MAX A JOB  CPUS  MEMORY MIB  GRES",
                  "debug (default)  up     1h        3      2          4     4000        -",
                  "gpu              up     2d        2      -          64    512000      gpu:a100:4,shard:8",
                  "gpu              up     2d        1      -          32    256000      gpu:2"));
}

TEST(Partitions, OfAClusterThatShowsNone) {
  EXPECT_EQ(judge_partitions({}, {}).verdict, Verdict::error);
}

TEST(Partitions, ARunThatFitsAndOneThatDoesNot) {
  EXPECT_EQ(judge_partitions(kCluster, {Limits::kept}).verdict, Verdict::ok);
  const Errors broken{{ExitCode::preflight_failed, "too long", "ask for less"}};
  const auto finding = judge_partitions(kCluster, {Limits::broken, broken});
  EXPECT_EQ(finding.verdict, Verdict::error);
  EXPECT_EQ(finding.found, "too long");
  EXPECT_EQ(finding.advice, "ask for less");
  EXPECT_THAT(finding.details, SizeIs(4));
}

TEST(Partitions, WarnOfWhatIsUpToAQosOrToNodesThatAreHidden) {
  const Errors broken{{ExitCode::preflight_failed, "too long", "ask for less"}};
  const auto lifted = judge_partitions(kCluster, {Limits::lifted, broken});
  EXPECT_EQ(lifted.verdict, Verdict::warning);
  EXPECT_THAT(lifted.found, HasSubstr("too long"));
  EXPECT_THAT(lifted.advice, HasSubstr("unless its QOS lifts that limit"));
  const auto hidden = judge_partitions(kCluster, {Limits::nodes_hidden, broken});
  EXPECT_EQ(hidden.verdict, Verdict::warning);
  EXPECT_THAT(hidden.found, HasSubstr("of the nodes that sinfo shows"));
  EXPECT_THAT(hidden.details, SizeIs(4));
}

TEST(OutOfService, IsReadFromSinfo) {
  const auto groups = parse_out_of_service(
      "node[1-2]|drained|disk | fan\nnode3|down*|Not responding\nnode3|down*|none\nx\n|a|b\n");
  EXPECT_EQ(groups,
            (std::vector<OutOfService>{{"node[1-2]", "drained", "disk | fan"}, {"node3", "down", ""}}));
}

TEST(OutOfService, IsAWarningUnlessThereIsAnError) {
  Finding finding{.found = "debug"};
  add_out_of_service({}, finding);
  EXPECT_EQ(finding.verdict, Verdict::ok);
  add_out_of_service({{"node[1-2]", "drained", "disk"}, {"node3", "down", ""}}, finding);
  EXPECT_EQ(finding.verdict, Verdict::warning);
  EXPECT_EQ(finding.found, "debug; out of service: node[1-2] drained (disk), node3 down");
  Finding failed{.verdict = Verdict::error, .found = "none", .advice = "x"};
  add_out_of_service({{"node3", "down", ""}}, failed);
  EXPECT_EQ(failed.verdict, Verdict::error);
  EXPECT_EQ(failed.advice, "x");
}

}  // namespace
}  // namespace ddp::cli
