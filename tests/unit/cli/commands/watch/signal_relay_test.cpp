#include "cli/commands/watch/signal_relay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "tests/support/fake_system.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;

class SignalRelayTest : public testing::Test {
 protected:
  using Following = SignalRelay::Following;

  [[nodiscard]] SignalRelay relay(Attachment attachment) {
    return {{.run_id = "job-1",
             .name = {},
             .run_dir = "/nowhere",
             .launcher = "ssh",
             .job_id = {},
             .created = {}},
            attachment,
            resolver,
            context};
  }

  FakeSystem outside;
  std::ostringstream out, err;
  std::unique_ptr<Reporter> reporter = make_text_reporter(out, err, Colour::never);
  Context context{{}, "/", "/", outside.system(), *reporter};
  StatusResolver resolver{context.seams()};
  const std::optional<FileDescriptor> head{std::in_place};
};

TEST_F(SignalRelayTest, StopsTheRunAndThenKillsItByTheOtherSignal) {
  auto attached = relay(Attachment::attached);
  EXPECT_EQ(attached.take(head), Following::goes_on);
  EXPECT_EQ(attached.first(), 0);
  raise(SIGINT);
  EXPECT_EQ(attached.take(head), Following::goes_on);
  raise(SIGINT);
  EXPECT_EQ(attached.take(head), Following::goes_on);
  EXPECT_THAT(outside.host.signals, ElementsAre(SIGINT, SIGTERM));
  EXPECT_EQ(attached.first(), SIGINT);
  EXPECT_EQ(err.str(), "stopping the run; press Ctrl-C again to kill it\nkilling the run\n");
}

TEST_F(SignalRelayTest, EndsTheFollowingOfARunThatThisProcessIsNotAttachedTo) {
  auto detached = relay(Attachment::detached);
  raise(SIGTERM);
  EXPECT_EQ(detached.take(head), Following::is_over);
  EXPECT_EQ(detached.first(), SIGTERM);
  EXPECT_TRUE(outside.host.signals.empty());
}

TEST_F(SignalRelayTest, KeepsTheTermOfThisMachineFromARunElsewhere) {
  auto attached = relay(Attachment::attached);
  raise(SIGTERM);
  EXPECT_EQ(attached.take(std::nullopt), Following::is_over);
  EXPECT_EQ(err.str(), "");
}

TEST_F(SignalRelayTest, EndsTheFollowingWhereNobodyCanBeTold) {
  auto attached = relay(Attachment::attached);
  raise(SIGINT);
  EXPECT_EQ(attached.take(std::nullopt), Following::is_over) << "the run has no head yet";
}

}  // namespace
}  // namespace ddp::cli
