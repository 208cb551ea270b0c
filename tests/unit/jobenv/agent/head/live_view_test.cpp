#include "jobenv/agent/head/live_view.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

LiveView::Time at(int second) {
  return LiveView::Time(seconds(1000 + second));
}

class View : public testing::Test {
 protected:
  void SetUp() override { view_.begin_attempt(2); }
  void join(int agent, const std::string& host) { view_.take(AgentJoined{agent, {host, "", {}}, {}}, at(0)); }
  bool see(int agent, const RankReading& reading, int second) {
    return view_.take(AgentSaid{agent, RanksSeen{{reading}}}, at(second));
  }
  static RankReading reading(int rank, std::optional<std::uint64_t> step, Phase phase = Phase::step) {
    RankReading reading;
    reading.rank = rank;
    reading.step = step;
    reading.phase = phase;
    reading.process = ProcessState::running;
    reading.memory_bytes = 100;
    return reading;
  }

  LiveView view_;
};

TEST_F(View, PutsTheRanksOfAllAgentsTogether) {
  join(0, "n1");
  join(1, "n2");
  auto first = reading(0, 10);
  first.total_steps = 90;
  first.metrics = {{"loss", 0.5}};
  EXPECT_TRUE(see(0, first, 1));
  EXPECT_TRUE(see(1, reading(1, 11, Phase::evaluate), 1));
  const auto record = view_.make_record(at(2));
  EXPECT_EQ(record.attempt, 2);
  EXPECT_EQ(record.total_steps, 90U);
  EXPECT_EQ(record.metrics, first.metrics);
  ASSERT_EQ(record.ranks.size(), 2U);
  EXPECT_EQ(record.ranks[1].host, "n2");
  EXPECT_EQ(record.ranks[1].phase, Phase::evaluate);
  EXPECT_EQ(record.summary.ranks, 2);
  EXPECT_EQ(record.summary.lowest_step, 10U);
  EXPECT_EQ(record.summary.highest_step, 11U);
  EXPECT_EQ(record.summary.memory_bytes, 200U);
  EXPECT_EQ(record.summary.phases, (std::map<std::string, std::uint64_t>{{"evaluate", 1}, {"step", 1}}));
}

TEST_F(View, TellsWhenTheJobEnds) {
  EXPECT_EQ(view_.make_record(at(0)).job_end, std::nullopt);
  view_.set_job_end(at(3600));
  view_.begin_attempt(3);
  EXPECT_EQ(view_.make_record(at(0)).job_end, at(3600)) << "a restart does not change it";
}

TEST_F(View, TellsThePaceAndTheUseOfCpusBetweenTwoLooks) {
  auto rank = reading(0, 10);
  see(0, rank, 0);
  EXPECT_EQ(view_.make_record(at(0)).seconds_per_step, std::nullopt);
  rank.step = 30;
  rank.cpu = milliseconds(6000);
  see(0, rank, 4);
  const auto record = view_.make_record(at(4));
  EXPECT_DOUBLE_EQ(record.seconds_per_step.value(), 0.2);
  EXPECT_DOUBLE_EQ(record.ranks[0].cpu_percent.value(), 150);
}

TEST_F(View, TellsNoPaceOfRanksThatDifferByAStepAtTheSameMoment) {
  see(0, reading(0, 359), 0);
  see(0, reading(1, 360), 0);
  EXPECT_EQ(view_.make_record(at(0)).seconds_per_step, std::nullopt);
  see(0, reading(1, 379), 2);
  EXPECT_DOUBLE_EQ(view_.make_record(at(2)).seconds_per_step.value(), 0.1);
}

TEST_F(View, ForgetsRanksThatHaveEnded) {
  see(0, reading(0, 1), 0);
  ExitRecord exit;
  exit.code = 0;
  EXPECT_TRUE(view_.take(AgentSaid{0, RankExited{exit, ""}}, at(1)));
  EXPECT_TRUE(view_.make_record(at(1)).ranks.empty());
  EXPECT_FALSE(view_.take(AgentSaid{0, Pong{}}, at(1))) << "nothing has changed";
}

TEST_F(View, AnotherAttemptBeginsAnew) {
  see(0, reading(0, 100), 0);
  view_.begin_attempt(3);
  see(0, reading(0, 50), 1);
  const auto record = view_.make_record(at(1));
  EXPECT_EQ(record.attempt, 3);
  EXPECT_EQ(record.summary.highest_step, 50U);
  EXPECT_EQ(record.seconds_per_step, std::nullopt);
}

TEST_F(View, OfManyRanksOnlyThoseThatStandOutAreShown) {
  for (int rank = 0; rank < 300; ++rank) see(0, reading(rank, 100), 0);
  EXPECT_TRUE(view_.make_record(at(0)).ranks.empty());
  see(0, reading(7, 97), 1);
  see(0, reading(8, 99), 1);
  see(0, reading(9, 100, Phase::evaluate), 1);
  auto stopped = reading(10, 100);
  stopped.process = ProcessState::stopped;
  see(0, stopped, 1);
  const auto record = view_.make_record(at(1));
  std::vector<int> shown;
  for (const auto& rank : record.ranks) shown.push_back(rank.rank);
  EXPECT_EQ(shown, (std::vector<int>{7, 9, 10}));
  EXPECT_EQ(record.summary.ranks, 300);
  EXPECT_EQ(record.summary.median_step, 100U);
}

}  // namespace
}  // namespace ddp::agent
