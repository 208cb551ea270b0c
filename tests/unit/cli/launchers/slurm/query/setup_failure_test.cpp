#include "cli/launchers/slurm/query/setup_failure.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

constexpr const char* kScript = "#!/bin/bash\nset -e\n\nmodule load cuda\n  source /opt/env.sh\nfi\n";
constexpr const char* kMark = "ddpsubmit: the set-up failed with exit code ";

std::string told(const std::string& output) {
  return describe_setup_failure(output, kScript).value_or("nothing");
}
std::string mark(const std::string& code, int line, const std::string& command) {
  return kMark + code + " in line " + std::to_string(line) + ": " + command + "\n";
}

TEST(SetupFailure, QuotesTheLineWithTheWordsOfBash) {
  EXPECT_EQ(told("loading\n/var/spool/slurm/job00007/slurm_script: line 5: /opt/env.sh: No such file or "
                 "directory\n" +
                 mark("1", 5, "source /opt/env.sh")),
            "set-up failed at 'source /opt/env.sh': /opt/env.sh: No such file or directory");
  EXPECT_EQ(told("slurm_script: line 4: module: command not found\n" + mark("127", 4, "module load cuda")),
            "set-up failed at 'module load cuda': module: command not found (environment.pass: [BASH_ENV] "
            "brings it, "
            "where BASH_ENV defines it)");
}

TEST(SetupFailure, TellsTheExitCodeWhereBashSaysNothing) {
  EXPECT_EQ(told("loading modules\n" + mark("3", 4, "module load cuda")),
            "set-up failed at 'module load cuda': exit code 3");
  EXPECT_EQ(told(mark("3", 4, "module load cuda")), "set-up failed at 'module load cuda': exit code 3");
}

TEST(SetupFailure, BlamesTheLineThatCallsAFunctionOrSourcesAFile) {
  EXPECT_EQ(told(mark("3", 4, "return 3")), "set-up failed at 'module load cuda': exit code 3");
  EXPECT_EQ(told(mark("1", 5, "false")), "set-up failed at 'source /opt/env.sh': exit code 1");
}

TEST(SetupFailure, NamesTheFunctionOrFileThatFailed) {
  EXPECT_EQ(told(kMark + std::string("1 in line 4, in module: false\n")),
            "set-up failed at 'module load cuda', where 'module' failed at 'false': exit code 1");
  EXPECT_EQ(told(kMark + std::string("1 in line 5, in : grep x y\n")),
            "set-up failed at 'source /opt/env.sh', where the file failed at 'grep x y': exit code 1");
}

TEST(SetupFailure, TellsAnUnsetVariable) {
  EXPECT_EQ(told("/var/spool/slurm/job00007/slurm_script: line 4: FOO: unbound variable\n"),
            "set-up failed at 'module load cuda': FOO: unbound variable");
  EXPECT_EQ(told("/opt/env.sh: line 7: FOO: unbound variable\n"),
            "set-up failed: /opt/env.sh: line 7: FOO: unbound variable");
}

TEST(SetupFailure, BlamesNoLineThatCannotHaveFailed) {
  EXPECT_EQ(told(mark("1", 6, "false")), "nothing");
  EXPECT_EQ(told(mark("1", 3, "false")), "nothing");
  EXPECT_EQ(told(mark("1", 1, "false")), "nothing");
  EXPECT_EQ(told(mark("1", 7, "false")), "nothing");
  EXPECT_EQ(told(mark("1", 0, "false")), "nothing");
}

TEST(SetupFailure, IsNotToldByAnythingElse) {
  EXPECT_EQ(told(""), "nothing");
  EXPECT_EQ(told("ddpsubmit: the set-up failed\n"), "nothing");
  EXPECT_EQ(told("it says " + mark("1", 4, "module load cuda")), "nothing");
  EXPECT_EQ(told(kMark + std::string("1 in line 99999999999999999999: x\n")), "nothing");
}

TEST(SetupFailure, IsTheLastOneOfAJobThatWasStartedAgain) {
  EXPECT_EQ(told(mark("1", 4, "module load cuda") + "again\n" + mark("2", 5, "source /opt/env.sh")),
            "set-up failed at 'source /opt/env.sh': exit code 2");
}

}  // namespace
}  // namespace ddp::cli
