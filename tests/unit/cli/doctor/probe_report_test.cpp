#include "cli/doctor/probe_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ProbeReport, TakesItsLinesFromALog) {
  ProbeReport report;
  NodeFacts node;
  node.host = "node7";
  add_probe_lines("module load: warning\n" + to_json(node).dump() + "\n" +
                      to_json(PairTime{0, 1, 1e-4, 1e-3, ""}).dump() + "\n{\"schema\":\"another\"}\n" +
                      to_json(GroupTime{0, 2, 0.5, ""}).dump() + "\n{\"sch",
                  report);
  ASSERT_THAT(report.nodes, SizeIs(1));
  EXPECT_EQ(report.nodes[0].host, "node7");
  EXPECT_THAT(report.pairs, SizeIs(1));
  EXPECT_THAT(report.groups, SizeIs(1));
}

TEST(ProbeReport, APairHasTheTimesOfItsSlowerEnd) {
  EXPECT_THAT(merge_pairs({{0, 1, 1e-4, 2e-3, ""}, {2, 0, 5e-4, 5e-3, ""}, {1, 0, 2e-4, 1e-3, ""}}),
              ElementsAre(PairResult{{0, 1}, 2e-4, 2e-3}, PairResult{{0, 2}, 5e-4, 5e-3}));
  EXPECT_THAT(merge_pairs({}), IsEmpty());
}

TEST(ProbeReport, AProblemAtOneEndIsOneOfThePair) {
  EXPECT_THAT(merge_pairs({{0, 1, 1e-4, 2e-3, ""}, {1, 0, 0, 0, "reset"}}),
              ElementsAre(PairResult{{0, 1}, 0, 0, "reset"}));
}

}  // namespace
}  // namespace ddp::cli
