#include "cli/launch/preflight/command_script.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

std::string script_of(const std::vector<std::string>& command) {
  const auto script = script_of_command(command);
  return script ? script->name : "none";
}

TEST(CommandScript, IsTheFirstWordBehindTheOptionsOfAnInterpreter) {
  EXPECT_EQ(script_of({"python", "train.py"}), "train.py");
  EXPECT_EQ(script_of({"/usr/bin/python3.12", "-u", "train.py", "--epochs", "3"}), "train.py");
  EXPECT_EQ(script_of({"python3", "-uW", "ignore", "-Xdev", "-X", "faulthandler", "a/train.py"}),
            "a/train.py");
  EXPECT_EQ(script_of({"python3", "--check-hash-based-pycs", "always", "--", "-odd.py"}), "-odd.py");
  EXPECT_EQ(script_of({"bash", "run.sh"}), "run.sh");
  EXPECT_EQ(script_of({"bash", "-eu", "-o", "pipefail", "--norc", "+x", "run.sh"}), "run.sh");
  EXPECT_EQ(script_of({"/bin/sh", "./run.sh", "-c"}), "./run.sh");
}

TEST(CommandScript, IsNoneOfWhatIsNoFile) {
  EXPECT_EQ(script_of({"python3", "-m", "pkg.train"}), "none");
  EXPECT_EQ(script_of({"python3", "-um", "pkg.train"}), "none");
  EXPECT_EQ(script_of({"python3", "-c", "print(1)"}), "none");
  EXPECT_EQ(script_of({"python3", "-"}), "none");
  EXPECT_EQ(script_of({"python3", "--version"}), "none");
  EXPECT_EQ(script_of({"python3"}), "none");
  EXPECT_EQ(script_of({"sh", "-ec", "exit 1"}), "none");
  EXPECT_EQ(script_of({"bash", "-s", "word"}), "none");
  EXPECT_EQ(script_of({"bash", "--rcfile", "rc"}), "none");
}

TEST(CommandScript, IsNoneWhereItIsNotCertain) {
  EXPECT_EQ(script_of({}), "none");
  EXPECT_EQ(script_of({"./train", "train.py"}), "none");
  EXPECT_EQ(script_of({"apptainer", "exec", "image.sif", "python", "train.py"}), "none");
  EXPECT_EQ(script_of({"python3", "--newer-option", "train.py"}), "none");
  EXPECT_EQ(script_of({"bash", "-Z", "run.sh"}), "none");
}

TEST(CommandScript, IsSoughtInPathByShells) {
  EXPECT_TRUE(script_of_command({"bash", "run.sh"})->sought_in_path);
  EXPECT_FALSE(script_of_command({"python3", "train.py"})->sought_in_path);
  EXPECT_EQ(script_of_command({"python3", "train.py"})->word, 1U);
  EXPECT_EQ(script_of_command({"python3", "-u", "--", "train.py"})->word, 3U);
}

}  // namespace
}  // namespace ddp::cli
