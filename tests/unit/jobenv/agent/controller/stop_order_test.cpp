#include "jobenv/agent/controller/stop_order.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace ddp::agent {
namespace {

constexpr auto kHead = StopOrder::Teller::head;
constexpr auto kAgent = StopOrder::Teller::agent;
const StopWanted kTerm{StopReason::interrupt, SIGTERM};
const StopWanted kPreempted{StopReason::preempted, SIGTERM};
const StopWanted kCancel{StopReason::cancel, SIGTERM};

TEST(StopOrder, OfARumourMayBeExplainedByHead) {
  StopOrder order;
  EXPECT_TRUE(order.await_notice());
  EXPECT_FALSE(order.await_notice());
  EXPECT_TRUE(order.take(kPreempted, kAgent));
  EXPECT_FALSE(order.is_of_head());
  EXPECT_TRUE(order.awaits_word());
  EXPECT_TRUE(order.is_explained_by(kCancel));
  EXPECT_TRUE(order.take(kCancel, kHead));
  EXPECT_TRUE(order.is_of_head());
  EXPECT_FALSE(order.awaits_word());
  EXPECT_FALSE(order.is_explained_by(kTerm));
}

TEST(StopOrder, IsWithdrawnWhileHeadHasNotHeardOfIt) {
  StopOrder order;
  EXPECT_TRUE(order.await_notice());
  EXPECT_TRUE(order.take(kPreempted, kAgent));
  EXPECT_TRUE(order.withdraw_rumour());
  EXPECT_FALSE(order.stop());
  EXPECT_FALSE(order.withdraw_rumour());
  EXPECT_TRUE(order.take(kTerm, kHead));
  EXPECT_FALSE(order.withdraw_rumour());
}

TEST(StopOrder, IsCorrectedByTheSchedulerOnlyWhenItWasASignal) {
  StopOrder order;
  EXPECT_TRUE(order.take(kTerm, kHead));
  EXPECT_FALSE(order.is_explained_by(kCancel));
  EXPECT_TRUE(order.is_explained_by(kPreempted));
  EXPECT_TRUE(order.take(kPreempted, kHead));
  EXPECT_FALSE(order.take(kPreempted, kHead)) << "no news";
  EXPECT_FALSE(order.is_explained_by({StopReason::time_limit, SIGTERM}));
}

TEST(StopOrder, AwaitsTheAnswerThatIsAskedFor) {
  StopOrder order;
  EXPECT_TRUE(order.take({StopReason::interrupt, SIGTERM, std::nullopt, Certainty::asked}, kHead));
  EXPECT_TRUE(order.awaits_answer());
  order.end_answer();
  EXPECT_FALSE(order.awaits_word());
}

TEST(StopOrder, IsCorrectedByWhateverTheAnswerIs) {
  const StopWanted undecided{StopReason::time_limit, SIGUSR2, std::nullopt, Certainty::asked};
  StopOrder order;
  EXPECT_TRUE(order.take(undecided, kHead));
  EXPECT_FALSE(order.is_explained_by(undecided)) << "the signal came twice";
  order.end_answer();  // is not waited for any more, and comes all the same
  for (const auto& answer : {kPreempted, kCancel, kTerm, StopWanted{StopReason::time_limit, SIGUSR2}})
    EXPECT_TRUE(order.is_explained_by(answer));
  EXPECT_FALSE(order.take({StopReason::time_limit, SIGUSR2}, kHead)) << "no news";
  EXPECT_FALSE(order.awaits_word());
  EXPECT_FALSE(order.is_explained_by(kPreempted));
}

TEST(StopOrder, CountsThePeopleWhoAsk) {
  StopOrder order;
  for (const auto& wanted : {kTerm, kCancel, kPreempted, StopWanted{StopReason::cancel, 0}})
    order.count(wanted);
  EXPECT_EQ(order.requests(), 2);
}

TEST(StopOrder, AfterAFailureIsTheFirstOne) {
  StopOrder order;
  order.take_late(kTerm);
  order.take_late(kCancel);
  EXPECT_EQ(order.late()->reason, StopReason::interrupt);
  EXPECT_TRUE(order.is_of_head());
  StopOrder stopped;
  EXPECT_TRUE(stopped.take(kTerm, kHead));
  stopped.take_late(kCancel);
  EXPECT_FALSE(stopped.late());
}

}  // namespace
}  // namespace ddp::agent
