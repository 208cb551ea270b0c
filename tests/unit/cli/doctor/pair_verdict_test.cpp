#include "cli/doctor/pair_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> hosts(int count) {
  std::vector<std::string> names;
  for (int node = 0; node < count; ++node) names.push_back("node" + std::to_string(node));
  return names;
}

PairResult good(int low, int high) {
  return {{low, high}, 100e-6, 5e-3};
}
PairResult slow(int low, int high) {
  return {{low, high}, 150e-6, 400e-3};
}
PairResult failed(int low, int high) {
  return {{low, high}, 0, 0, "timed out"};
}

TEST(Suspects, WhoIsInMostOfThePairs) {
  EXPECT_THAT(find_suspects({}), IsEmpty());
  EXPECT_THAT(find_suspects({{0, 2}, {1, 2}, {2, 3}}), ElementsAre(2));
  EXPECT_THAT(find_suspects({{0, 1}, {0, 2}, {3, 4}, {4, 5}}), ElementsAre(0, 4));
}

TEST(Suspects, BothWhenNobodyCanTell) {
  EXPECT_THAT(find_suspects({{1, 2}}), ElementsAre(1, 2));
  EXPECT_THAT(find_suspects({{0, 1}, {0, 2}, {3, 4}}), ElementsAre(0, 3, 4));
}

TEST(Pairs, AllWell) {
  const auto verdict = judge_pairs({good(0, 1), good(0, 2), good(1, 2)}, hosts(3));
  EXPECT_THAT(verdict.suspects, IsEmpty());
  ASSERT_THAT(verdict.findings, SizeIs(1));
  EXPECT_EQ(verdict.findings[0].verdict, Verdict::ok);
  EXPECT_THAT(verdict.findings[0].found, HasSubstr("3 pairs of nodes, 3 without errors; "));
}

TEST(Pairs, ANodeThatCannotReachTheOthers) {
  const auto verdict = judge_pairs({good(0, 1), failed(0, 2), failed(1, 2)}, hosts(3));
  EXPECT_THAT(verdict.suspects, ElementsAre(2));
  ASSERT_THAT(verdict.findings, SizeIs(2));
  EXPECT_EQ(verdict.findings[1].verdict, Verdict::error);
  EXPECT_EQ(verdict.findings[1].host, "node2");
  EXPECT_THAT(verdict.findings[1].details,
              ElementsAre("node0 and node2: timed out", "node1 and node2: timed out"));
}

TEST(Pairs, ANodeThatIsSlow) {
  const auto verdict = judge_pairs({slow(0, 1), slow(1, 2), good(0, 2)}, hosts(3));
  EXPECT_THAT(verdict.suspects, ElementsAre(1));
  EXPECT_EQ(verdict.findings.at(1).verdict, Verdict::warning);
  EXPECT_EQ(verdict.findings.at(1).host, "node1");
}

TEST(Pairs, TwoNodesAreSlowByThemselves) {
  EXPECT_THAT(judge_pairs({{{0, 1}, 9e-3, 1.0}}, hosts(2)).suspects, IsEmpty());
  const auto verdict = judge_pairs({{{0, 1}, 50e-3, 1.0}}, hosts(2));
  EXPECT_THAT(verdict.suspects, ElementsAre(0, 1));
  EXPECT_EQ(verdict.findings.at(1).host, "");
  EXPECT_THAT(verdict.findings.at(0).found, HasSubstr("1 pair of nodes, 1 without errors; "));
  EXPECT_EQ(verdict.findings.at(1).found, "node0 or node1 is slower than the rest: 1 pair");
}

TEST(Pairs, NoiseIsNotSlowness) {
  // Ten times the best, but by a millisecond and by ten.
  EXPECT_THAT(judge_pairs({{{0, 1}, 100e-6, 1e-3}, {{0, 2}, 1e-3, 10e-3}, good(1, 2)}, hosts(3)).suspects,
              IsEmpty());
}

TEST(Pairs, AsAMatrix) {
  EXPECT_THAT(render_pair_times({good(0, 1), failed(0, 2), slow(1, 2)}, hosts(3)),
              ElementsAre("       node0            node1              node2",
                          "node0  -                100 us / 5.0 ms    failed",
                          "node1  100 us / 5.0 ms  -                  150 us / 400.0 ms",
                          "node2  failed           150 us / 400.0 ms  -"));
}

TEST(Pairs, OfManyNodesTheSlowest) {
  std::vector<PairResult> pairs;
  for (int node = 1; node < 17; ++node) pairs.push_back(good(0, node));
  pairs.push_back(slow(3, 5));
  const auto lines = render_pair_times(pairs, hosts(17));
  ASSERT_THAT(lines, SizeIs(11));
  EXPECT_EQ(lines[1], "node3 and node5: 150 us / 400.0 ms");
}

}  // namespace
}  // namespace ddp::cli
