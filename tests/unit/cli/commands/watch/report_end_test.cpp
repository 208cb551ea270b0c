#include "cli/commands/watch/report_end.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/fake_system.hpp"

namespace ddp::cli {
namespace {

class ReportEndTest : public testing::Test {
 protected:
  using Reason = FollowEnd::Reason;

  static FollowEnd end_of(Reason reason, RunState state, int signal = 0) {
    FollowEnd end{.reason = reason, .signal = signal, .run = {}};
    end.run.pointer.run_id = "job-1";
    end.run.status.state = state;
    return end;
  }
  Outcome report(const FollowEnd& end, Reporter& reporter, Answers answers = Answers::one) {
    Context context{{}, "/", "/", outside.system(), reporter};
    return report_end("ddpsubmit.test.v1", end, context, answers);
  }
  Outcome report(const FollowEnd& end) { return report(end, *text); }

  FakeSystem outside;
  std::ostringstream out, err;
  std::unique_ptr<Reporter> text = make_text_reporter(out, err, Colour::never);
  std::unique_ptr<Reporter> json = make_json_reporter(out, err);
};

TEST_F(ReportEndTest, GivesTheExitCodeOfTheState) {
  EXPECT_EQ(report(end_of(Reason::run_ended, RunState::succeeded)), ExitCode::ok);
  EXPECT_EQ(report(end_of(Reason::run_ended, RunState::timed_out)), ExitCode::run_failed);
  EXPECT_EQ(report(end_of(Reason::run_ended, RunState::unknown)), ExitCode::outcome_unknown);
  EXPECT_EQ(report(end_of(Reason::timed_out, RunState::running)), ExitCode::still_running);
  EXPECT_EQ(report(end_of(Reason::timed_out, RunState::unknown)), ExitCode::outcome_unknown);
}

TEST_F(ReportEndTest, GivesTheExitCodeOfASignalThatEndedTheRunOrTheFollowing) {
  EXPECT_EQ(report(end_of(Reason::run_ended, RunState::cancelled, SIGINT)), ExitCode::interrupted);
  EXPECT_EQ(report(end_of(Reason::interrupted, RunState::running, SIGTERM)), ExitCode::terminated);
  EXPECT_EQ(report(end_of(Reason::run_ended, RunState::succeeded, SIGINT)), ExitCode::ok);
  EXPECT_EQ(report(end_of(Reason::run_ended, RunState::cancelled)), ExitCode::run_failed);
}

TEST_F(ReportEndTest, SaysOfARunThatGoesOnWhatIsKnownOfIt) {
  auto unknown = end_of(Reason::timed_out, RunState::unknown);
  unknown.run.status.message = "squeue does not answer";
  (void)report(end_of(Reason::timed_out, RunState::queued));
  (void)report(unknown);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(),
            "run job-1 has not ended yet (queued); see: ddpsubmit status job-1\n"
            "error: the state of run job-1 is unknown: squeue does not answer\n"
            "  next: ddpsubmit status job-1\n");
}

TEST_F(ReportEndTest, PutsTheTableOfASweepOnStdoutAndItsEndOnStderr) {
  auto end = end_of(Reason::timed_out, RunState::running);
  end.run.sweep.emplace();
  EXPECT_EQ(report(end), ExitCode::still_running);
  EXPECT_TRUE(out.str().starts_with("POINT")) << out.str();
  EXPECT_EQ(err.str(), "run job-1 has not ended yet (running); see: ddpsubmit status job-1\n");
}

TEST_F(ReportEndTest, IsALineOfJsonForEachOfSeveralRuns) {
  const auto end = end_of(Reason::run_ended, RunState::succeeded);
  (void)report(end, *json, Answers::several);
  (void)report(end, *json, Answers::several);
  std::istringstream lines(out.str());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_EQ(nlohmann::json::parse(line)["schema"], "ddpsubmit.test.v1");
  EXPECT_EQ(count, 2);
}

}  // namespace
}  // namespace ddp::cli
