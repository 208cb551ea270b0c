#include "ddp/jobenv/progress_page.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "ddp/jobenv/rank_contract.hpp"

namespace ddp {
namespace {

EnvMap env_with(int descriptor) {
  return EnvMap().set(kProgressFd, std::to_string(descriptor));
}

TEST(ProgressPage, AFreshPageSaysThatNothingHasHappened) {
  const ProgressMapping agent = *ProgressMapping::create();
  EXPECT_EQ(agent.page().phase, Phase::start);
  EXPECT_EQ(agent.page().step, ProgressPage::kNoStep);
  EXPECT_EQ(agent.page().stop_requested, 0U);
  EXPECT_NE(fcntl(agent.descriptor(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(ProgressPage, ARankInAnotherProcessSharesItBothWays) {
  ProgressMapping agent = *ProgressMapping::create();
  agent.page().stop_requested = 1;
  const pid_t pid = fork();
  if (pid == 0) {
    auto rank = ProgressMapping::attach(env_with(agent.descriptor()));
    if (!rank || rank->page().stop_requested != 1) _exit(1);
    rank->page().step = 42;
    rank->page().phase = Phase::checkpoint;
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(agent.page().step, 42U);
  EXPECT_EQ(agent.page().phase, Phase::checkpoint);
}

TEST(ProgressPage, TheInheritedDescriptorStaysOpenForASecondUse) {
  const ProgressMapping agent = *ProgressMapping::create();
  { const auto first = ProgressMapping::attach(env_with(agent.descriptor())); }
  EXPECT_TRUE(ProgressMapping::attach(env_with(agent.descriptor())));
}

TEST(ProgressPage, NobodyCanShrinkItUnderTheAgent) {
  const ProgressMapping agent = *ProgressMapping::create();
  EXPECT_EQ(ftruncate(agent.descriptor(), 0), -1);
  EXPECT_EQ(errno, EPERM);
}

TEST(ProgressPage, WithoutTheVariableItIsPrivate) {
  ProgressMapping one = *ProgressMapping::attach(EnvMap());
  const ProgressMapping other = *ProgressMapping::attach(EnvMap());
  one.page().stop_requested = 1;
  EXPECT_EQ(other.page().stop_requested, 0U);
  EXPECT_EQ(one.descriptor(), -1);
}

TEST(ProgressPage, RefusesDescriptorsThatAreNoPage) {
  const int file = open("/dev/zero", O_RDWR | O_CLOEXEC);
  const int unsealed = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(unsealed, sizeof(ProgressPage)), 0);
  for (const std::string& number :
       {std::to_string(file), std::to_string(unsealed), std::string("987654"), std::string("-1"),
        std::string(""), std::string("x"), std::string("99999999999")}) {
    const auto mapping = ProgressMapping::attach(EnvMap().set(kProgressFd, number));
    ASSERT_FALSE(mapping) << number;
    EXPECT_NE(mapping.error().message.find("DDPSUBMIT_PROGRESS_FD='" + number + "'"), std::string::npos);
  }
  close(file);
  close(unsealed);
}

TEST(ProgressPage, RefusesThePageOfAnotherVersion) {
  ProgressMapping agent = *ProgressMapping::create();
  agent.page().version = 99;
  const auto rank = ProgressMapping::attach(env_with(agent.descriptor()));
  ASSERT_FALSE(rank);
  EXPECT_NE(rank.error().message.find("version 99"), std::string::npos);
}

TEST(ProgressPage, MovesKeepOneOwner) {
  ProgressMapping first = *ProgressMapping::create();
  const int descriptor = first.descriptor();
  ProgressMapping second = std::move(first);
  EXPECT_EQ(second.descriptor(), descriptor);
  second.page().step = 3;
  ProgressMapping third = *ProgressMapping::create();
  const int closed = third.descriptor();
  third = std::move(second);
  EXPECT_EQ(third.page().step, 3U);
  { const ProgressMapping swapped_out = std::move(second); }
  EXPECT_EQ(fcntl(closed, F_GETFD), -1);
  EXPECT_NE(fcntl(descriptor, F_GETFD), -1);
}

TEST(ProgressPage, AStepIsAPartOfThePhaseOfSteps) {
  ProgressPage page;
  page.enter(Phase::step);
  page.finish_step(7);
  page.finish_step(8);
  EXPECT_EQ(page.step, 8U);
  EXPECT_EQ(page.parts, 2U);
}

TEST(ProgressPage, PartsAreCountedAnewInEachPhase) {
  ProgressPage page;
  page.enter(Phase::step);
  page.finish_step(1);
  page.enter(Phase::step);
  EXPECT_EQ(page.parts, 1U) << "it was in this one";
  page.enter(Phase::evaluate);
  EXPECT_EQ(page.phase, Phase::evaluate);
  EXPECT_EQ(page.parts, 0U);
}

TEST(ProgressPage, PhasesHaveNames) {
  EXPECT_EQ(name_of(Phase::start), "start");
  EXPECT_EQ(name_of(Phase::step), "step");
  EXPECT_EQ(name_of(Phase::checkpoint), "checkpoint");
  EXPECT_EQ(name_of(Phase::evaluate), "evaluate");
  EXPECT_EQ(name_of(Phase::done), "done");
  EXPECT_EQ(name_of(static_cast<Phase>(77)), "unknown");
}

}  // namespace
}  // namespace ddp
