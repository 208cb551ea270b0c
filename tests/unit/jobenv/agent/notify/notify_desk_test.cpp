#include "jobenv/agent/notify/notify_desk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/jobenv/agent/run_fixture.hpp"
#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

/// Events of a run, and what the command has got of them.
class Notices : public testing::Test {
 protected:
  void begin(std::vector<std::string> events, const std::vector<LedgerEvent>& earlier = {},
             std::uint64_t resumes = 0) {
    plan_.notify_command = {"sh", "-c", "cat >> got"};
    plan_.notify_events = std::move(events);
    plan_.waits.live = std::chrono::milliseconds(1);
    desk_.reset();
    loop_.reset();  // its end unblocks signals that the next one blocks
    loop_ = EventLoop::create({}, [](int) {}).value();
    desk_.emplace(*loop_, Notifier::Settings{plan_, EnvMap::capture(), {}, {}},
                  [](const event::Notified&) {});
    desk_->begin(earlier, resumes);
  }
  template <class Event>
  void write(const Event& event) {
    desk_->take(make_ledger_event(std::chrono::system_clock::now(), event));
  }
  void see_step(std::uint64_t step) {
    RankReading reading;
    reading.step = step;
    reading.total_steps = 50;
    desk_->take(AgentSaid{0, RanksSeen{{reading}}});
  }
  /// The names of the events that were told, up to the end of the run.
  std::vector<std::string> finish() {
    bool done = false;
    desk_->finish([&] { done = true; });
    EXPECT_TRUE(run_loop_until(*loop_, [&] { return done; }));
    std::istringstream lines(read_file(run_.path() / "got"));
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
      got_.push_back(json::parse(line));
      names.push_back(got_.back().at("event"));
    }
    return names;
  }
  void write_metrics(const MetricsRecord& record) const {
    std::ofstream(run_.folder().metrics(), std::ios::app) << render_metrics_record(record) << '\n';
  }

  RunFixture run_;
  LaunchPlan plan_ = make_plan(run_.path(), 1, "true");
  std::unique_ptr<EventLoop> loop_;
  std::optional<NotifyDesk> desk_;
  std::vector<json> got_;
};

TEST_F(Notices, OnlyWhatTheFileAsksForIsTold) {
  begin({"restarted"});
  write(event::Restarting{.attempt = 0, .message = "rank 0 failed"});
  write(event::HangSuspected{});
  write(event::RunEnded{.state = RunState::failed});
  EXPECT_THAT(finish(), ElementsAre("restarted"));
}

TEST_F(Notices, WithoutACommandNothingIsTold) {
  begin({"ended"});
  plan_.notify_command.clear();
  desk_.emplace(*loop_, Notifier::Settings{plan_, EnvMap::capture(), {}, {}}, [](const event::Notified&) {});
  write(event::RunEnded{.state = RunState::succeeded});
  EXPECT_THAT(finish(), IsEmpty());
}

TEST_F(Notices, TheFirstStepIsToldOnceWithTheStepsOfTheRun) {
  begin({"first_step", "ended"});
  write(event::AttemptStarted{.attempt = 0});
  see_step(0);
  see_step(1);
  see_step(2);
  write(event::AttemptStarted{.attempt = 1});
  see_step(1);
  write(event::AttemptEnded{.attempt = 1, .last_step = 3});
  write(event::RunEnded{.attempt = 1, .state = RunState::succeeded});
  EXPECT_THAT(finish(), ElementsAre("first_step", "ended"));
  EXPECT_EQ(got_[0].at("step"), 1);
  EXPECT_EQ(got_[0].at("max_steps"), 50);
  EXPECT_EQ(got_[1].at("step"), 3);
}

TEST_F(Notices, TheFirstStepOfAShortRunIsSeenAtItsEnd) {
  begin({"first_step", "ended"});
  write(event::AttemptEnded{.attempt = 0, .last_step = 3});
  write(event::RunEnded{.attempt = 0, .state = RunState::succeeded});
  EXPECT_THAT(finish(), ElementsAre("first_step", "ended"));
}

TEST_F(Notices, AHeadThatFollowsDoesNotTellTheFirstStepAgainUnlessTheRunIsSubmittedAgain) {
  const auto now = std::chrono::system_clock::now();
  std::vector<LedgerEvent> earlier = {make_ledger_event(now, event::SubmitIntent{}),
                                      make_ledger_event(now, event::Notified{.notification = "first_step"})};
  begin({"first_step"}, earlier);
  see_step(4);
  EXPECT_THAT(finish(), IsEmpty());
  earlier.push_back(make_ledger_event(now, event::SubmitIntent{}));
  begin({"first_step"}, earlier);
  see_step(4);
  EXPECT_THAT(finish(), ElementsAre("first_step"));
}

TEST_F(Notices, StepsOfTheCheckpointAreNotSteps) {
  plan_.program = ProgramKind::trainer;
  begin({"first_step"}, {}, 20);
  see_step(20);
  see_step(21);
  EXPECT_THAT(finish(), ElementsAre("first_step"));
  EXPECT_EQ(got_[0].at("step"), 21);
}

TEST_F(Notices, OfSeveralFailedCheckpointsInARowTheFirstIsTold) {
  write_metrics({.kind = "checkpoint_failed", .step = 1, .message = "of an earlier head"});
  begin({"checkpoint_failed"});
  for (const char* kind :
       {"checkpoint_failed", "train", "checkpoint_failed", "checkpoint", "checkpoint_failed"})
    write_metrics({.kind = kind, .attempt = 1, .step = 10, .message = "disk full"});
  write(event::AttemptEnded{.attempt = 1});
  EXPECT_THAT(finish(), ElementsAre("checkpoint_failed", "checkpoint_failed"));
  EXPECT_EQ(got_[0].at("message"), "step 10: disk full");
}

TEST_F(Notices, AFailedCheckpointIsSeenWhileTheRunContinues) {
  begin({"checkpoint_failed"});
  write_metrics({.kind = "checkpoint_failed", .attempt = 0, .step = 10, .message = "disk full"});
  EXPECT_TRUE(run_loop_until(*loop_, [this] { return !read_file(run_.path() / "got").empty(); }));
  EXPECT_THAT(finish(), ElementsAre("checkpoint_failed"));
}

}  // namespace
}  // namespace ddp::agent
