#include "jobenv/agent/controller/idle_ranks.hpp"

#include <gtest/gtest.h>

#include "jobenv/agent/controller/first_failure.hpp"

namespace ddp::agent {
namespace {

using std::chrono::seconds;

const std::string kAllReduce = "all_reduce (torch/distributed/distributed_c10d.py:3075)";

/// Four ranks on two hosts, of which some are idle.
class Idle : public testing::Test {
 protected:
  void idle(int rank, ProcessState process = ProcessState::sleeping) {
    ranks_.add({rank < 2 ? "node1" : "node2", {rank, seconds(61), process}});
  }
  void stand(int rank, const std::vector<std::string>& frames, const std::string& source = "py-spy") {
    places_.add({rank, "", "sleeping", source, frames});
  }
  std::string told() {
    if (!ranks_.is_worth_a_look(living_)) return "";
    const auto verdict = ranks_.find_cause(living_, places_);
    if (!verdict) return "";
    return (verdict->evidence == Evidence::guessed ? "guess: " : "") +
           render_cause(verdict->cause, ProgramKind::command);
  }

  std::vector<int> living_ = {0, 1, 2, 3};
  IdleRanks ranks_;
  RankPlaces places_;
};

TEST_F(Idle, OneThatIsStoppedIsNamed) {
  idle(1, ProcessState::stopped);
  EXPECT_EQ(
      told(),
      "rank 1 on node1 has done nothing for 61 s: its process is stopped, while the other ranks are busy");
}

TEST_F(Idle, AllThatAreStoppedAreSuspended) {
  for (const int rank : living_) idle(rank, ProcessState::stopped);
  EXPECT_EQ(told(), "");
}

TEST_F(Idle, ThoseThatWereAtWorkALittleLongerAreSuspendedToo) {
  for (const int rank : {0, 2}) idle(rank, ProcessState::stopped);
  for (const int rank : living_) places_.add({rank, "", "stopped", "kernel", {}});
  EXPECT_EQ(told(), "");
}

TEST_F(Idle, OneThatSleepsWhileOthersWaitForItIsNamed) {
  for (const int rank : living_) idle(rank);
  for (const int rank : {0, 1, 3}) stand(rank, {kAllReduce, "<module> (train.py:11)"});
  stand(2, {"<module> (train.py:8)"});
  EXPECT_EQ(
      told(),
      "rank 2 on node2 has done nothing for 61 s: it is in <module> (train.py:8); the other ranks are in " +
          kAllReduce);
}

TEST_F(Idle, OneInAnotherCollectiveThanTheOthersIsNamed) {
  for (const int rank : living_) idle(rank);
  for (const int rank : {0, 1, 3}) stand(rank, {kAllReduce, "<module> (train.py:11)"});
  stand(2, {"barrier (torch/distributed/distributed_c10d.py:4818)", "<module> (train.py:14)"});
  EXPECT_EQ(told(),
            "rank 2 on node2 has done nothing for 61 s: it is in barrier "
            "(torch/distributed/distributed_c10d.py:4818); the other ranks are in " +
                kAllReduce);
}

TEST_F(Idle, OfTwoInDifferentCollectivesNobodyIsNamed) {
  living_ = {0, 1};
  for (const int rank : living_) idle(rank);
  stand(0, {kAllReduce});
  stand(1, {"barrier (torch/distributed/distributed_c10d.py:4818)"});
  EXPECT_TRUE(told().starts_with("no rank has printed, read or computed anything for 61 s")) << told();
}

TEST_F(Idle, AllInTheSamePlaceAreAnObservation) {
  for (const int rank : living_) idle(rank);
  for (const int rank : living_) stand(rank, {kAllReduce});
  EXPECT_EQ(told(), "no rank has printed, read or computed anything for 61 s: most of the 4 ranks are in " +
                        kAllReduce);
}

TEST_F(Idle, WithoutStacksNobodyIsNamed) {
  for (const int rank : living_) idle(rank);
  EXPECT_EQ(told(), "no rank has printed, read or computed anything for 61 s");
}

TEST_F(Idle, BySystemCallsAloneNobodyIsNamed) {
  for (const int rank : living_) idle(rank);
  for (const int rank : {0, 1, 2}) stand(rank, {"the system call futex"}, "kernel");
  stand(3, {"the system call clock_nanosleep"}, "kernel");
  EXPECT_EQ(told(),
            "no rank has printed, read or computed anything for 61 s: most of the 4 ranks are in the system "
            "call futex");
}

TEST_F(Idle, ThoseThatWaitForOneAtWorkAreNotNamedBySystemCalls) {
  for (const int rank : {1, 2, 3}) idle(rank);
  for (const int rank : {1, 2, 3}) stand(rank, {"the system call futex"}, "kernel");
  EXPECT_EQ(told(), "");
}

TEST_F(Idle, ARankInADeadlockOfItsOwnWithinAModelWaitsForNobody) {
  for (const int rank : living_) idle(rank);
  for (const int rank : {0, 1, 3}) stand(rank, {kAllReduce, "<module> (train.py:11)"});
  stand(2, {"forward (model.py:3)", "forward (torch/nn/parallel/distributed.py:1643)"});
  EXPECT_TRUE(told().starts_with("rank 2 on node2")) << told();
}

TEST_F(Idle, ACheckpointOfTorchIsNoCallThatWaits) {
  for (const int rank : living_) idle(rank);
  for (const int rank : {0, 1, 3}) stand(rank, {kAllReduce});
  stand(2, {"write_data (torch/distributed/checkpoint/filesystem.py:7)"});
  EXPECT_TRUE(told().starts_with("rank 2 on node2")) << told();
}

TEST_F(Idle, ThoseThatReachTheSameCallFromElsewhereAreInTheSamePlace) {
  for (const int rank : living_) idle(rank);
  for (const int rank : living_)
    stand(rank, {kAllReduce, rank == 0 ? "<module> (train.py:9)" : "<module> (train.py:11)"});
  EXPECT_TRUE(told().starts_with("no rank has printed")) << told();
}

TEST_F(Idle, ThoseThatWaitForOneAtWorkAreNotNamed) {
  for (const int rank : {1, 2, 3}) idle(rank);
  for (const int rank : {1, 2, 3}) stand(rank, {kAllReduce});
  stand(0, {"evaluate (train.py:30)"});
  EXPECT_EQ(told(), "") << "rank 0 evaluates";
}

TEST_F(Idle, ThoseThatWaitWithoutAStackAreNotNamed) {
  for (const int rank : {1, 2, 3}) idle(rank);
  EXPECT_EQ(told(), "") << "each may wait for rank 0";
}

TEST_F(Idle, OneThatWaitsForBusyOnesIsNotNamed) {
  idle(3);
  stand(3, {kAllReduce});
  EXPECT_EQ(told(), "") << "it is done earlier than they are";
}

TEST_F(Idle, OneThatIsIdleWhileTheOthersSpinIsNamed) {
  idle(3);
  EXPECT_EQ(told(), "guess: rank 3 on node2 has done nothing for 61 s, while the other ranks are busy");
  stand(3, {"acquire (threading.py:5)", "<module> (train.py:9)"});
  EXPECT_EQ(told(),
            "rank 3 on node2 has done nothing for 61 s: it is in acquire (threading.py:5), while the other "
            "ranks are busy");
}

TEST_F(Idle, OfTwoAnIdleOneIsNotNamedByAGuess) {
  living_ = {0, 1};
  idle(1);
  EXPECT_EQ(told(), "") << "rank 0 may evaluate";
}

TEST_F(Idle, BusyRanksAreNeverCalledAHang) {
  EXPECT_EQ(told(), "");
}

TEST_F(Idle, ANativeStackIsToldByTheCallThatWaits) {
  living_ = {0, 1};
  idle(0);
  idle(1);
  stand(0,
        {"__futex_abstimed_wait_common", "pthread_cond_wait", "std::condition_variable::wait",
         "c10d::Work::wait"},
        "eu-stack");
  stand(1,
        {"__futex_abstimed_wait_common", "__new_sem_wait_slow64.constprop.0", "PyThread_acquire_lock_timed"},
        "eu-stack");
  EXPECT_EQ(
      told(),
      "rank 1 on node1 has done nothing for 61 s: it is in PyThread_acquire_lock_timed; the other rank is "
      "in c10d::Work::wait");
}

}  // namespace
}  // namespace ddp::agent
