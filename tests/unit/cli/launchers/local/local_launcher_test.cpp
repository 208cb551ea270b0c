#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/launch/launchers.hpp"
#include "tests/support/fake_system.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;

class LocalLauncherTest : public testing::Test {
 protected:
  LocalLauncherTest() {
    outside.host.processes[4242] = 1000;
    launcher = std::move(*make_launcher("local", {outside.system(), EnvMap()}));
    request.plan.agent = "/bin/ddp-agent";
    request.plan.run_dir = "/runs/job-1";
    request.plan.work_dir = "/home/user";
  }

  static RunStatus running() {
    RunStatus status;
    status.state = RunState::running;
    status.head = ProcessId{.host = "here", .boot_id = "boot-1", .pid = 4242, .start = 1000};
    return status;
  }
  Observation observe(const RunStatus& status) { return launcher->observe({&status, 1}).at(0); }

  FakeSystem outside;
  std::unique_ptr<Launcher> launcher;
  LaunchRequest request{
      .spec = {}, .plan = {}, .folder = RunFolder("/runs/job-1"), .environment = {}, .token = "t"};
};

TEST_F(LocalLauncherTest, StartsHeadAndSaysWhoItIs) {
  const auto submission = launcher->submit(request, Attachment::detached, -1);
  ASSERT_TRUE(submission);
  EXPECT_EQ(submission->head, running().head);
  EXPECT_FALSE(submission->attachment.is_open());
  const auto& daemon = outside.runner.daemons.at(0);
  ASSERT_EQ(daemon.inherited_descriptors.size(), 1u);
  EXPECT_THAT(daemon.argv, ElementsAre("/bin/ddp-agent", "head", "--run-dir", "/runs/job-1", "--ready-fd",
                                       std::to_string(daemon.inherited_descriptors[0])));
  EXPECT_EQ(daemon.folder, "/home/user");
  EXPECT_EQ(daemon.log, "/runs/job-1/logs/head.log");
}

TEST_F(LocalLauncherTest, WaitsForRanksOfAnEarlierAttempt) {
  EXPECT_TRUE(launcher->await_no_earlier_ranks(request));
  EXPECT_EQ(outside.host.looks_for_ranks, 1);
  outside.host.ranks["/runs/job-1"] = {7, 8};
  const auto waited = launcher->await_no_earlier_ranks(request);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ExitCode::still_running);
  EXPECT_EQ(waited.error().message, "processes of an earlier attempt are still running: 7, 8");
}

TEST_F(LocalLauncherTest, LooksOnceForTheRanksOfAllPointsThatItStarts) {
  request.part.emplace().tasks = {0, 2};
  outside.host.ranks["/runs/job-1"] = outside.host.ranks["/runs/job-1/points/1"] = {7};
  EXPECT_TRUE(launcher->await_no_earlier_ranks(request));
  EXPECT_EQ(outside.host.looks_for_ranks, 1);
  outside.host.ranks["/runs/job-1/points/2"] = {9};
  EXPECT_FALSE(launcher->await_no_earlier_ranks(request));
}

TEST_F(LocalLauncherTest, HearsWhyHeadDoesNotRun) {
  outside.runner.word_of_daemon =
      "{\"schema\":\"refused\",\"why\":\"cannot make attempts/0: No space left\"}\n";
  const auto submission = launcher->submit(request, Attachment::attached, -1);
  ASSERT_FALSE(submission);
  EXPECT_EQ(submission.error().code, ExitCode::run_failed);
  EXPECT_EQ(submission.error().message, "the run was not started: cannot make attempts/0: No space left");
}

TEST_F(LocalLauncherTest, AHeadThatSaysNothingSensibleIsFollowed) {
  for (const char* word : {"", "\n", "{}\n", "x", "{\"schema\":\"done\"}\n"}) {
    outside.runner.word_of_daemon = word;
    EXPECT_TRUE(launcher->submit(request, Attachment::detached, -1)) << word;
  }
}

TEST_F(LocalLauncherTest, HoldsTheEndOfAnAttachedRun) {
  const auto submission = launcher->submit(request, Attachment::attached, -1);
  ASSERT_TRUE(submission);
  EXPECT_TRUE(submission->attachment.is_open());
  const auto& daemon = outside.runner.daemons.at(0);
  EXPECT_EQ(daemon.argv.at(4), "--attached-fd");
  EXPECT_EQ(daemon.argv.at(5), std::to_string(daemon.inherited_descriptors.at(0)));
}

TEST_F(LocalLauncherTest, BelievesTheLedgerWhileHeadLives) {
  EXPECT_EQ(observe(running()).state, RunState::running);
}

TEST_F(LocalLauncherTest, SaysThatHeadDied) {
  outside.host.processes.clear();
  EXPECT_EQ(observe(running()).state, RunState::failed);
  EXPECT_NE(observe(running()).message.find("died without recording how the run ended"), std::string::npos);
}

TEST_F(LocalLauncherTest, DoesNotKnowAboutOtherHosts) {
  auto status = running();
  status.head->host = "there";
  EXPECT_EQ(observe(status).state, RunState::unknown);
  EXPECT_EQ(launcher->cancel(std::span(&status, 1)).at(0).error().code, ExitCode::outcome_unknown);
}

TEST_F(LocalLauncherTest, CancelsByTermAndOnlyTheSameProcess) {
  ASSERT_TRUE(launcher->cancel(std::vector{running()}).at(0));
  EXPECT_THAT(outside.host.signals, ElementsAre(SIGTERM));
  outside.host.processes[4242] = 1001;  // the number belongs to somebody else now
  ASSERT_TRUE(launcher->cancel(std::vector{running()}).at(0));
  EXPECT_EQ(outside.host.signals.size(), 1u);
}

TEST(Launchers, NameThoseThereAre) {
  FakeSystem outside;
  const auto launcher = make_launcher("pbs", {outside.system(), EnvMap()});
  ASSERT_FALSE(launcher);
  EXPECT_EQ(launcher.error().hint, "known: local, slurm and ssh");
}

}  // namespace
}  // namespace ddp::cli
