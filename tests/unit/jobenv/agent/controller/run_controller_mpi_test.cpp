#include "tests/unit/jobenv/agent/controller/controller_fixture.hpp"

namespace ddp::agent {
namespace {

class MpiRun : public Controller {
 protected:
  void SetUp() override { run_ranks(ProgramKind::command); }

  /// What all agents have been told.
  PmiPairs gathered() {
    PmiPairs pairs;
    for (const auto& [agent, message] : sent_) {
      if (const auto* some = std::get_if<PmiPairsGathered>(&message))
        pairs.insert(some->pairs.begin(), some->pairs.end());
    }
    return pairs;
  }
};

TEST_F(MpiRun, ABarrierEndsWhenAllAgentsHaveReachedIt) {
  say(0, PmiPairsPut{{{"a", "0"}}});
  say(3, PmiPairsPut{{{"b", "3"}}});
  for (const int agent : {0, 1, 3}) say(agent, PmiBarrierReached{});
  EXPECT_TRUE(receivers<PmiBarrierEnded>().empty());
  say(2, PmiBarrierReached{});
  EXPECT_EQ(receivers<PmiPairsGathered>(), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(receivers<PmiBarrierEnded>(), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(gathered(), (PmiPairs{{"a", "0"}, {"b", "3"}}));
}

TEST_F(MpiRun, TheNextBarrierTellsOnlyWhatIsNew) {
  say(0, PmiPairsPut{{{"a", "0"}}});
  for (int agent = 0; agent < 4; ++agent) say(agent, PmiBarrierReached{});
  sent_.clear();
  for (int agent = 0; agent < 4; ++agent) say(agent, PmiBarrierReached{});
  EXPECT_TRUE(receivers<PmiPairsGathered>().empty());
  EXPECT_EQ(receivers<PmiBarrierEnded>().size(), 4U);
}

TEST_F(MpiRun, OfPairsWithTheSameKeyTheLastOneCounts) {
  say(0, PmiPairsPut{{{"a", "first"}}});
  say(0, PmiPairsPut{{{"a", "last"}}});
  for (int agent = 0; agent < 4; ++agent) say(agent, PmiBarrierReached{});
  EXPECT_EQ(gathered(), (PmiPairs{{"a", "last"}}));
}

TEST_F(MpiRun, RanksThatAreAskedToStopAreStillConnected) {
  post(StopWanted{StopReason::cancel, SIGTERM});
  sent_.clear();
  say(0, PmiPairsPut{{{"a", "0"}}});
  for (int agent = 0; agent < 4; ++agent) say(agent, PmiBarrierReached{});
  EXPECT_EQ(receivers<PmiPairsGathered>().size(), 4U);
}

TEST_F(MpiRun, ManyPairsTravelInSeveralMessages) {
  PmiPairs pairs;
  for (int key = 0; key < 600; ++key) pairs[std::to_string(key)] = std::string(1000, 'v');
  for (const PmiPairs& piece : split_pairs(pairs)) say(0, PmiPairsPut{piece});
  for (int agent = 0; agent < 4; ++agent) say(agent, PmiBarrierReached{});
  EXPECT_EQ(receivers<PmiPairsGathered>().size(), 4 * 3U);
}

TEST_F(MpiRun, MorePairsThanHeadTakesEndTheRun) {
  const PmiPairs piece = {{"a", std::string(kMaxPmiPiece, 'v')}};
  for (std::size_t sent = 0; sent <= kMaxPmiPairs; sent += kMaxPmiPiece) say(1, PmiPairsPut{piece});
  EXPECT_EQ(receivers<KillRanks>().size(), 4U);
}

TEST_F(MpiRun, TwoRanksThatAreNotConnectedAreToldOnce) {
  say(0, LoneMpiRank{0, MpiFlavour::mpich, "/lib/libmpi.so.12"});
  EXPECT_EQ(count_events("mpi_not_connected"), 0) << "one rank may be alone on purpose";
  say(2, LoneMpiRank{2, MpiFlavour::mpich, "/lib/libmpi.so.12"});
  say(3, LoneMpiRank{3, MpiFlavour::mpich, "/lib/libmpi.so.12"});
  EXPECT_EQ(count_events("mpi_not_connected"), 1);
}

TEST_F(MpiRun, AnAgentThatIsLostMayMeanThatARankHasCalledMpiAbort) {
  plan_.process_manager = ProcessManagerKind::launcher;
  run_ranks(ProgramKind::command);
  post(AgentLost{2, "the other side closed the connection"});
  for (const int agent : {0, 1, 3}) post(AgentLost{agent, "the other side closed the connection"});
  expire(RunTimer::notice);
  ASSERT_TRUE(end_);
  EXPECT_TRUE(
      end_->message.starts_with("lost the agent on node2: the other side closed the connection (Slurm "
                                "ends the agents if a rank calls MPI_Abort)"))
      << end_->message;
}

TEST(LoneMpiRanksText, SaysWhatToSet) {
  LaunchPlan plan;
  const auto describe = [&plan](MpiFlavour flavour) {
    LoneMpiRanks ranks;
    (void)ranks.add({0, flavour, "/lib/libmpi.so"});
    (void)ranks.add({1, flavour, "/lib/libmpi.so"});
    return ranks.describe(plan);
  };
  EXPECT_EQ(describe(MpiFlavour::mpich),
            "two or more ranks, such as 0 and 1, have loaded an MPI library (/lib/libmpi.so) that nothing "
            "connects: "
            "MPI_Init makes each of them rank 0 of 1; set 'rendezvous.backend: mpi'");
  EXPECT_NE(describe(MpiFlavour::open_mpi).find("'launcher: slurm' with 'slurm.mpi: pmix'"),
            std::string::npos);
  plan.traits.scheduler = "Slurm";
  EXPECT_NE(describe(MpiFlavour::open_mpi).find("; Open MPI needs 'slurm.mpi: pmix'"), std::string::npos);
  EXPECT_NE(describe(MpiFlavour::cray).find("; set 'slurm.mpi: cray_shasta'"), std::string::npos);
}

}  // namespace
}  // namespace ddp::agent
