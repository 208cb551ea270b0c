#include "cli/ssh/remote_host.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/system/command_runner.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

/// What a POSIX shell makes of the script.
CommandResult execute(const std::string& script) {
  RealCommandRunner runner;
  EnvMap environment;
  environment.set("PATH", "/usr/bin:/bin");
  return runner.run({.argv = {"sh", "-c", script}, .environment = environment}).value();
}

TEST(RemoteScript, SaysThatThereIsNoAgent) {
  const auto result = execute(render_remote_script({"/no/where's/ddp-agent", {}}, "mark"));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "\nmark {\"schema\":\"refused\",\"why\":\"there is no '/no/where's/ddp-agent'\"}\n");
}

TEST(RemoteScript, BecomesTheAgentWhateverItsPath) {
  const auto result = execute(render_remote_script({"/bin/echo", {}}, "a mark"));
  EXPECT_EQ(result.out, "remote --marker a mark\n");
}

class PushScript : public testing::Test {
 protected:
  /// The script, and behind it what is sent when it asks for the agent, as one text: sh has read it all.
  CommandResult execute_with(const std::string& bytes, const std::string& said_size) {
    const PushedAgent agent{temporary_.path(), std::string(64, 'a'), std::stoul(said_size)};
    std::ofstream(temporary_ / "bytes") << bytes;
    std::ofstream(temporary_ / "script") << render_remote_script({"/here/ddp-agent", agent}, "mark");
    return execute("sh " + (temporary_ / "script").string() + " <" + (temporary_ / "bytes").string());
  }
  TemporaryFolder temporary_;
  const std::string agent_ = "#!/bin/sh\necho \"$@\"\n";
  const std::string wanted_ = "\nmark {\"schema\":\"agent_wanted\"}\n";
};

TEST_F(PushScript, AsksForTheAgentOnce) {
  const std::string became = "remote --marker mark --folder " + temporary_.path().string() + "\n";
  EXPECT_EQ(execute_with(agent_, std::to_string(agent_.size())).out, wanted_ + became);
  EXPECT_EQ(execute_with("", std::to_string(agent_.size())).out, became);
}

TEST_F(PushScript, DoesNotKeepPartOfIt) {
  for (int round = 0; round < 2; ++round) {
    const auto result = execute_with(agent_, std::to_string(agent_.size() + 1));
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, wanted_);
  }
}

}  // namespace
}  // namespace ddp::cli
