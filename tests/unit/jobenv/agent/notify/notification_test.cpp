#include "jobenv/agent/notify/notification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const NotifiedRun kRun{.run_id = "job-1",
                       .name = "job",
                       .run_dir = "/runs/job-1",
                       .launcher = "slurm",
                       .job_id = "17",
                       .host = "n1",
                       .user = "ada"};

template <class Event>
std::optional<Notification> notification_of_event(const Event& event) {
  return notification_of(make_ledger_event(std::chrono::system_clock::time_point{}, event));
}

json read(const Notification& notification, const Secrets& secrets = {}) {
  return json::parse(render_notification(notification, kRun, secrets));
}

TEST(Notification, TheEndOfARunIsOfTwoKinds) {
  const auto event_of = [](RunState state) {
    return notification_of_event(event::RunEnded{.attempt = 0, .state = state})->event;
  };
  EXPECT_EQ(event_of(RunState::succeeded), NotifyEvent::ended);
  EXPECT_EQ(event_of(RunState::cancelled), NotifyEvent::ended);
  EXPECT_EQ(event_of(RunState::failed), NotifyEvent::failed);
  EXPECT_EQ(event_of(RunState::timed_out), NotifyEvent::failed);
  EXPECT_EQ(event_of(RunState::preempted), NotifyEvent::failed);
}

TEST(Notification, MostEventsAreNotTold) {
  EXPECT_FALSE(notification_of_event(event::AttemptEnded{}));
  EXPECT_FALSE(notification_of_event(event::Notified{}));
  EXPECT_FALSE(notification_of_event(event::HangOver{}));
  EXPECT_EQ(notification_of_event(event::HangSuspected{})->event, NotifyEvent::hang_suspected);
}

TEST(Notification, HasAllFields) {
  auto notification = *notification_of_event(event::RunEnded{.attempt = 2,
                                                             .state = RunState::failed,
                                                             .exit_code = 1,
                                                             .message = "rank 1 was killed",
                                                             .cause = Cause{.rank = 1, .host = "n2"}});
  notification.step = 7;
  notification.steps = 10;
  const auto read_back = read(notification);
  EXPECT_EQ(read_back.at("schema"), "ddpsubmit.notification.v1");
  EXPECT_EQ(read_back.at("event"), "failed");
  EXPECT_EQ(read_back.at("time"), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(read_back.at("text"), "job-1 failed: rank 1 was killed");
  EXPECT_EQ(read_back.at("run_id"), "job-1");
  EXPECT_EQ(read_back.at("name"), "job");
  EXPECT_EQ(read_back.at("run_dir"), "/runs/job-1");
  EXPECT_EQ(read_back.at("launcher"), "slurm");
  EXPECT_EQ(read_back.at("job_id"), "17");
  EXPECT_EQ(read_back.at("host"), "n1");
  EXPECT_EQ(read_back.at("user"), "ada");
  EXPECT_EQ(read_back.at("attempt"), 2);
  EXPECT_EQ(read_back.at("state"), "failed");
  EXPECT_EQ(read_back.at("message"), "rank 1 was killed");
  EXPECT_EQ(read_back.at("exit_code"), 1);
  EXPECT_EQ(read_back.at("step"), 7);
  EXPECT_EQ(read_back.at("max_steps"), 10);
  EXPECT_TRUE(read_back.at("resumes_from").is_null());
  EXPECT_EQ(read_back.at("cause").at("rank"), 1);
  EXPECT_TRUE(read_back.at("cause").at("likely_cause").is_null());
  EXPECT_EQ(read_back.size(), 19U);
}

TEST(Notification, TextTellsWhatHasHappened) {
  const auto text_of = [](const auto& event) { return read(*notification_of_event(event)).at("text"); };
  EXPECT_EQ(text_of(event::RunEnded{.state = RunState::timed_out, .message = "after 1 h"}),
            "job-1 timed out: after 1 h");
  EXPECT_EQ(text_of(event::Restarting{.message = "rank 0 failed"}), "job-1 restarts: rank 0 failed");
  EXPECT_EQ(text_of(event::Requeued{.message = "requeued by Slurm"}), "job-1: requeued by Slurm");
  EXPECT_EQ(text_of(event::HangSuspected{.message = "rank 3"}), "job-1 may hang: rank 3");
}

TEST(Notification, TellsTheLikelyCauseInOneLine) {
  const auto failed = notification_of_event(event::RunEnded{
      .state = RunState::failed,
      .message = "rank 1 on n2 ended with exit code 1",
      .cause = Cause{.rank = 1, .code = 1, .stderr_tail = "in step 7\nRuntimeError: no memory\n"}});
  const auto said = read(*failed);
  EXPECT_EQ(said.at("text"),
            "job-1 failed: rank 1 on n2 ended with exit code 1. Likely cause: RuntimeError: no memory");
  EXPECT_EQ(said.at("message"), "rank 1 on n2 ended with exit code 1");
  EXPECT_EQ(said.at("cause").at("likely_cause"), "RuntimeError: no memory");
  EXPECT_FALSE(said.at("cause").contains("stderr_tail"));
}

TEST(Notification, AMessageMayHoldAnything) {
  Notification notification;
  notification.message = "\"quoted\" \\ line\nline\t\x1b[31m \xff \xe2\x82\xac";
  notification.state = RunState::succeeded;
  const auto line = render_notification(notification, kRun, {});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto read_back = json::parse(line);
  EXPECT_EQ(read_back.at("message"), "\"quoted\" \\ line\nline\t\x1b[31m ? \xe2\x82\xac");
  EXPECT_EQ(read_back.at("text"), "job-1 succeeded: \"quoted\" \\ line line  [31m ? \xe2\x82\xac");
}

TEST(Notification, NoSecretIsInIt) {
  const Secrets secrets{{"TOKEN", "s3cret"}, {"PIN", "123"}};
  Notification notification;
  notification.message = "s3cret and s3cret, 1234";
  notification.cause =
      Cause{.stderr_tail = "key=other\nwith s3cret or s3\x1b[1mcret\n", .what = "told s3cret"};
  const auto line = render_notification(notification, kRun, secrets);
  EXPECT_THAT(line, Not(HasSubstr("s3cret")));
  EXPECT_THAT(line, Not(HasSubstr("key=other")));
  EXPECT_EQ(json::parse(line).at("cause").at("likely_cause"), "with [TOKEN] or [TOKEN]");
  EXPECT_EQ(json::parse(line).at("message"), "[TOKEN] and [TOKEN], 1234");
  EXPECT_EQ(json::parse(line).at("cause").at("what"), "told [TOKEN]");
}

TEST(Notification, NoPasswordOfAUrlIsInIt) {
  Notification notification;
  notification.message = "set-up failed at 'pip install https://ada:pass@host'";
  notification.cause =
      Cause{.code = 1,
            .stderr_tail = std::string(190, 'x') + " https://ada:pass-of-many-letters@host\n",
            .what = "told https://ada:pass@host"};
  const auto line = render_notification(notification, kRun, {});
  EXPECT_THAT(line, Not(HasSubstr("pass")));
  EXPECT_EQ(json::parse(line).at("message"), "set-up failed at 'pip install https://[hidden]@host'");
  EXPECT_EQ(json::parse(line).at("cause").at("what"), "told https://[hidden]@host");
}

TEST(Notification, ASecretMayBeAPartOfAnotherOrHaveLines) {
  EXPECT_EQ(without_secrets("abcd1234 abcd", {{"A", "abcd"}, {"B", "abcd1234"}}), "[B] [A]");
  EXPECT_EQ(without_secrets("is second", {{"KEY", "first\nsecond\nx\n"}}), "is [KEY]");
}

TEST(Notification, TextSaysTheStateOnce) {
  const auto cancelled = notification_of_event(
      event::RunEnded{.state = RunState::cancelled, .message = "cancelled; all ranks stopped"});
  EXPECT_EQ(read(*cancelled).at("text"), "job-1 cancelled; all ranks stopped");
}

}  // namespace
}  // namespace ddp::agent
