#include "ddp/jobenv/progress_page.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <utility>

#include "ddp/jobenv/rank_contract.hpp"
#include "ddpsubmit.h"

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

TEST(ProgressPage, WhatARankHasWrittenIsReadWithCare) {
  ProgressPage page;
  EXPECT_EQ(step_of(page), std::nullopt);
  EXPECT_EQ(total_steps_of(page), std::nullopt);
  page.phase = static_cast<Phase>(77);
  EXPECT_EQ(phase_of(page), Phase::start) << "there is no such phase";
  page.phase = static_cast<Phase>(kPhases);
  EXPECT_EQ(phase_of(page), Phase::start) << "it has no name";
  page.phase_names[0].fill('x');
  page.phase_name_count = 9999;
  EXPECT_EQ(phase_of(page), Phase::start) << "its name has no end";
  page.phase_names[0][5] = 0;
  EXPECT_EQ(phase_of(page).text(), "xxxxx");
  page.phase_names[0][1] = '\n';
  EXPECT_EQ(phase_of(page), Phase::start);
}

TEST(ProgressPage, MetricsThatCannotBeShownAreLeftOut) {
  ProgressPage page;
  const auto set = [&page](std::size_t index, std::string_view name, double value) {
    std::ranges::copy(name, page.metrics[index].name.begin());
    page.metrics[index].value = value;
  };
  set(0, "loss", 0.5);
  set(1, "grad", std::numeric_limits<double>::quiet_NaN());
  set(2, "a\nb", 1);
  set(3, "later", 1);
  page.metric_count = 3;
  EXPECT_EQ(metrics_of(page), (std::map<std::string, double>{{"loss", 0.5}}));
}

TEST(ProgressPage, AProgramInCIsOnTheSamePage) {
  const ProgressMapping agent = *ProgressMapping::create();
  setenv(kProgressFd, std::to_string(agent.descriptor()).c_str(), 1);
  auto* rank = ddpsubmit_open();
  unsetenv(kProgressFd);
  ASSERT_NE(rank, nullptr);
  ddpsubmit_phase(rank, "download");
  EXPECT_EQ(phase_of(agent.page()).text(), "download");
  ddpsubmit_step(rank, 3, 90);
  EXPECT_EQ(phase_of(agent.page()), Phase::step);
  EXPECT_EQ(step_of(agent.page()), 3U);
  EXPECT_EQ(total_steps_of(agent.page()), 90U);
  ddpsubmit_log(rank, "loss", 0.5);
  ddpsubmit_log(rank, "loss", 0.25);
  EXPECT_EQ(metrics_of(agent.page()), (std::map<std::string, double>{{"loss", 0.25}}));
  EXPECT_EQ(ddpsubmit_should_stop(rank), 0);
  EXPECT_EQ(agent.page().uses, ProgressPage::kTellsSteps | ProgressPage::kHeedsStops);
  rank->stop_step = DDPSUBMIT_HOLD;
  EXPECT_EQ(ddpsubmit_should_stop(rank), 0) << "the step is not known yet";
  rank->stop_step = 4;
  EXPECT_EQ(ddpsubmit_should_stop(rank), 0);
  ddpsubmit_step(rank, 4, 90);
  EXPECT_EQ(ddpsubmit_should_stop(rank), 1);
  EXPECT_EQ(first_step_of(agent.page()), 3U);
}

TEST(ProgressPage, LongNamesInCAreOneNameEach) {
  const ProgressMapping agent = *ProgressMapping::create();
  setenv(kProgressFd, std::to_string(agent.descriptor()).c_str(), 1);
  auto* rank = ddpsubmit_open();
  unsetenv(kProgressFd);
  ASSERT_NE(rank, nullptr);
  for (int round = 0; round < 40; ++round) {
    ddpsubmit_log(rank, "a name of more than 23 bytes", round);
    ddpsubmit_phase(rank, "a phase whose name has more than 31 bytes");
  }
  EXPECT_EQ(metrics_of(agent.page()), (std::map<std::string, double>{{"a name of more than 23 ", 39}}));
  EXPECT_EQ(agent.page().phase_name_count, 1U);
}

TEST(ProgressPage, StepsThatCannotBeAreNotSaid) {
  ProgressPage page;
  for (const std::uint64_t number :
       {~std::uint64_t{0}, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 2}) {
    page.step = page.first_step = page.total_steps = number;
    EXPECT_EQ(step_of(page), std::nullopt) << number;
    EXPECT_EQ(first_step_of(page), std::nullopt) << number;
    EXPECT_EQ(total_steps_of(page), std::nullopt) << number;
  }
}

TEST(ProgressPage, AProgramInCRunsWithoutAPage) {
  unsetenv(kProgressFd);
  auto* rank = ddpsubmit_open();
  EXPECT_EQ(rank, nullptr);
  ddpsubmit_phase(rank, "evaluate");
  ddpsubmit_step(rank, 1, 2);
  ddpsubmit_log(rank, "loss", 1);
  EXPECT_EQ(ddpsubmit_should_stop(rank), 0);
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
