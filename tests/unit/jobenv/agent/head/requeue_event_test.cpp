#include "jobenv/agent/head/requeue_event.hpp"

#include <gtest/gtest.h>

#include "tests/support/use_launcher.hpp"

namespace ddp::agent {
namespace {

const LauncherTraits kSlurm = traits_for_test("slurm");

TEST(RequeueEvent, TellsWhereTheNextAttemptGoesOn) {
  RequeueContext context;
  context.earlier_requeues = 1;
  context.resumes_after = 120;
  const auto fields = describe_requeue(kSlurm, 2, StopReason::time_limit, context, 130, "set at least 94s");
  EXPECT_EQ(fields_of(fields).at("attempt"), 2);
  EXPECT_EQ(fields_of(fields).at("reason"), "time_limit");
  EXPECT_EQ(fields_of(fields).at("step"), 120);
  EXPECT_EQ(fields_of(fields).at("count"), 2);
  EXPECT_EQ(fields_of(fields).at("lost_steps"), 10);
  EXPECT_EQ(fields_of(fields).at("message"),
            "requeued at its time limit; attempt 3 resumes from step 120; set at least 94s");
}

TEST(RequeueEvent, AnAttemptWithoutACheckpointFollowsFromTheBeginning) {
  RequeueContext context;
  context.earlier_requeues = 1;
  const auto fields = describe_requeue(kSlurm, 0, StopReason::preempted, context, std::nullopt, "");
  EXPECT_TRUE(fields_of(fields).at("step").is_null());
  EXPECT_EQ(fields_of(fields).at("count"), 1);
  EXPECT_EQ(fields_of(fields).at("lost_steps"), 0);
  EXPECT_EQ(fields_of(fields).at("message"), "preempted and requeued by Slurm; attempt 1 follows");
}

TEST(RequeueEvent, TheCommandOfARequeueFromOutsideIsTheLaunchers) {
  const auto told = [](const LauncherTraits& traits) {
    return describe_requeue(traits, 0, StopReason::requeued, {}, std::nullopt, "").message;
  };
  EXPECT_EQ(told(kSlurm), "requeued outside ddpsubmit (scontrol requeue); attempt 1 follows");
  EXPECT_EQ(told({.scheduler = "Other"}), "requeued outside ddpsubmit; attempt 1 follows");
}

}  // namespace
}  // namespace ddp::agent
