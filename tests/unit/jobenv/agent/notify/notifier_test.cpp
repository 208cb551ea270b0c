#include "jobenv/agent/notify/notifier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/jobenv/agent/run_fixture.hpp"
#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Notifying : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
  }

  Notifier& with(std::vector<std::string> command) {
    plan_.notify_command = std::move(command);
    return notifier_.emplace(
        *loop_, Notifier::Settings{plan_, EnvMap::capture().set("DDPSUBMIT_X", "own"), {}, secrets_},
        [this](const event::Notified& notified) { told_.push_back(notified); });
  }
  Notifier& with_script(const std::string& script) { return with({"sh", "-c", script}); }
  void wait_for(std::size_t count) {
    ASSERT_TRUE(run_loop_until(*loop_, [&] { return told_.size() >= count; }));
  }
  [[nodiscard]] std::string file(const std::string& name) const { return read_file(run_.path() / name); }
  static Notification of(NotifyEvent event) {
    Notification notification;
    notification.event = event;
    return notification;
  }

  RunFixture run_;
  LaunchPlan plan_ = make_plan(run_.path(), 1, "true");
  Secrets secrets_;
  std::unique_ptr<EventLoop> loop_;
  std::vector<event::Notified> told_;
  std::optional<Notifier> notifier_;
};

TEST_F(Notifying, TheCommandGetsTheObjectInTheFolderOfTheRanks) {
  with_script("cat >> got; pwd >> where").notify(of(NotifyEvent::failed));
  wait_for(1);
  EXPECT_EQ(nlohmann::json::parse(file("got")).at("event"), "failed");
  EXPECT_EQ(file("where"), run_.path().string() + "\n");
  EXPECT_EQ(told_[0].notification, "failed");
  EXPECT_EQ(told_[0].code, 0);
  EXPECT_EQ(told_[0].message, "");
}

TEST_F(Notifying, OneCallFollowsAnotherInTheirOrder) {
  auto& notifier = with_script("cat > now; sed 's/.*\"event\":\"\\([a-z_]*\\).*/\\1/' now >> order; rm now");
  notifier.notify(of(NotifyEvent::first_step));
  notifier.notify(of(NotifyEvent::restarted));
  notifier.notify(of(NotifyEvent::ended));
  wait_for(3);
  EXPECT_EQ(file("order"), "first_step\nrestarted\nended\n");
}

TEST_F(Notifying, AFailureIsToldWithItsLastLine) {
  with_script("echo first; echo 'no\troute' >&2; exit 3").notify(of(NotifyEvent::ended));
  wait_for(1);
  EXPECT_EQ(told_[0].code, 3);
  EXPECT_EQ(told_[0].message, "ended with exit code 3: no route");
}

TEST_F(Notifying, ACommandThatIsNotThereIsTold) {
  with({"./nothing"}).notify(of(NotifyEvent::ended));
  wait_for(1);
  EXPECT_EQ(told_[0].code, 127);
  EXPECT_EQ(told_[0].message, "cannot start './nothing': No such file or directory");
}

TEST_F(Notifying, OneThatTakesTooLongIsKilledWithItsChildren) {
  plan_.waits.notify = milliseconds(300);
  with_script("sleep 1000 & echo $! >> pids; echo $$ >> pids; echo begins; wait")
      .notify(of(NotifyEvent::ended));
  wait_for(1);
  EXPECT_EQ(told_[0].signal, 9);
  EXPECT_THAT(told_[0].message, StartsWith("was killed after 0."));
  EXPECT_THAT(told_[0].message, HasSubstr(" s: begins"));
  for (const int pid : read_numbers(run_.path() / "pids"))
    EXPECT_TRUE(eventually([pid] { return !is_running(pid); }));
}

TEST_F(Notifying, WhatACallLeavesBehindIsKilled) {
  with_script("sleep 1000 >/dev/null & echo $! >> pids").notify(of(NotifyEvent::ended));
  wait_for(1);
  EXPECT_EQ(told_[0].code, 0);
  EXPECT_TRUE(eventually([this] { return !is_running(read_numbers(run_.path() / "pids").at(0)); }));
}

TEST_F(Notifying, OneThatPrintsWithoutEndIsReadAndForgotten) {
  plan_.waits.notify = milliseconds(300);
  with({"yes", "x"}).notify(of(NotifyEvent::ended));  // of a longer line the last one may be a part
  wait_for(1);
  EXPECT_THAT(told_[0].message, HasSubstr(" s: x"));
}

TEST_F(Notifying, AtTheEndItWaitsForWhatIsLeft) {
  auto& notifier = with_script("cat > got");
  notifier.notify(of(NotifyEvent::ended));
  bool done = false;
  notifier.finish([&] { done = true; });
  EXPECT_FALSE(done);
  ASSERT_TRUE(run_loop_until(*loop_, [&] { return done; }));
  EXPECT_EQ(told_.size(), 1U);
  notifier.finish([&] { done = false; });
  EXPECT_FALSE(done);  // nothing was left
}

TEST_F(Notifying, AtTheEndItWaitsForOneLimitAndNoLonger) {
  plan_.waits.notify = milliseconds(300);
  auto& notifier = with_script("sleep 1000");
  for (const auto event : {NotifyEvent::first_step, NotifyEvent::restarted, NotifyEvent::failed})
    notifier.notify(of(event));
  bool done = false;
  notifier.finish([&] { done = true; });
  ASSERT_TRUE(run_loop_until(*loop_, [&] { return done; }));
  ASSERT_EQ(told_.size(), 3U);
  for (const auto& notified : told_) EXPECT_NE(notified.message, "");
}

TEST_F(Notifying, AtTheEndTheLastCallGetsItsTime) {
  plan_.waits.notify = std::chrono::seconds(4);
  auto& notifier = with_script("cat > now; grep -q '\"ended\"' now || sleep 1000; echo called > got");
  for (const auto event : {NotifyEvent::first_step, NotifyEvent::restarted, NotifyEvent::ended})
    notifier.notify(of(event));
  bool done = false;
  notifier.finish([&] { done = true; });
  ASSERT_TRUE(run_loop_until(*loop_, [&] { return done; }));
  ASSERT_EQ(told_.size(), 3U);
  EXPECT_THAT(told_[0].message, StartsWith("was not called"));
  EXPECT_EQ(told_[1].signal, 9);
  EXPECT_EQ(told_[2].code, 0);
  EXPECT_EQ(file("got"), "called\n");
}

TEST_F(Notifying, TheEnvironmentIsThatOfTheFileAndItsSecrets) {
  secrets_ = {{"TOKEN", "s3cret"}};
  plan_.set = {{"SET", "here"}};
  with_script("echo $SET $TOKEN $DDPSUBMIT_X > got; echo broken $TOKEN; exit 1")
      .notify(of(NotifyEvent::ended));
  wait_for(1);
  EXPECT_EQ(file("got"), "here s3cret\n");
  EXPECT_THAT(told_[0].message, Not(HasSubstr("s3cret")));
  EXPECT_THAT(told_[0].message, HasSubstr("broken [TOKEN]"));
}

TEST_F(Notifying, ASecretAtTheEndOfALongLineIsNotKeptInPart) {
  secrets_ = {{"TOKEN", "s3cret-of-mine"}};
  with_script("printf '%0190d' 0; echo $TOKEN; exit 1").notify(of(NotifyEvent::ended));
  wait_for(1);
  EXPECT_THAT(told_[0].message, Not(HasSubstr("s3c")));
}

TEST_F(Notifying, OfALineWithoutEndNothingIsKept) {
  with_script("head -c 20000 /dev/zero | tr '\\0' x; echo; echo last; exit 1").notify(of(NotifyEvent::ended));
  wait_for(1);
  EXPECT_EQ(told_[0].message, "ended with exit code 1: last");
}

}  // namespace
}  // namespace ddp::agent
