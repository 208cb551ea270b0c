#include "cli/launchers/ssh/connection/remote_host.hpp"

#include <gtest/gtest.h>

#include "cli/system/command_runner.hpp"

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

}  // namespace
}  // namespace ddp::cli
