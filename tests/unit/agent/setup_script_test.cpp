#include "jobenv/agent/setup_script.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "jobenv/record/file_descriptor.hpp"
#include "tests/unit/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

LaunchPlan plan_with(std::vector<std::string> setup) {
  LaunchPlan plan;
  plan.setup = std::move(setup);
  return plan;
}

class SetupScript : public testing::Test {
 protected:
  /// The line that bash itself says has ended the script; "": none.
  [[nodiscard]] std::string failed_line(std::vector<std::string> setup, const std::string& program = "true") {
    const auto script = folder_.path() / "script";
    std::ofstream(script) << render_setup_script(plan_with(std::move(setup)), kReport);
    const auto report = folder_.path() / "report";
    std::filesystem::remove(report);
    const std::string bash = "cd " + folder_.path().string() + " && bash -e -c \"$(cat script)\" setup " +
                             program + " >out 2>&1 9>report";
    (void)std::system(bash.c_str());
    return read_file(report);
  }
  [[nodiscard]] std::string output() const { return read_file(folder_.path() / "out"); }

  static constexpr int kReport = 9;
  RunFixture folder_;
};

TEST_F(SetupScript, TellsTheLineThatFails) {
  EXPECT_EQ(failed_line({"true", "false", "true"}), "2");
  EXPECT_EQ(failed_line({"false"}), "1");
  EXPECT_EQ(failed_line({"true", "exit 4"}), "2");
  EXPECT_EQ(failed_line({"true", "exit 2"}), "2");
  EXPECT_EQ(failed_line({"true", "no-such-program"}), "2");
  EXPECT_EQ(failed_line({"true", "cd /no/such/folder"}), "2");
  EXPECT_EQ(failed_line({"true", "ls /no/such/file"}), "2");
}

TEST_F(SetupScript, TellsItOfCompoundCommands) {
  EXPECT_EQ(failed_line({"true", "(exit 5)"}), "2");
  EXPECT_EQ(failed_line({"true", "true | false"}), "2");
  EXPECT_EQ(failed_line({"true", "false || false"}), "2");
  EXPECT_EQ(failed_line({"if true; then", "false", "fi"}), "2");
  EXPECT_EQ(failed_line({"cat <<END", "text", "END", "false"}), "4");
}

TEST_F(SetupScript, TellsTheLineThatCallsAFunctionThatFails) {
  EXPECT_EQ(failed_line({"f() {", "false", "}", "true", "f"}), "5");
  EXPECT_EQ(failed_line({"f() {", "return 3", "}", "true", "f"}), "5");
  EXPECT_EQ(failed_line({"f() {", "exit 3", "}", "f"}), "4");
  EXPECT_EQ(failed_line({"f() { false; }; true; f"}), "1");
}

TEST_F(SetupScript, TellsTheLineThatSourcesTheFailure) {
  std::ofstream(folder_.path() / "env.sh") << "true\n\n\n\nfalse\n";
  EXPECT_EQ(failed_line({"true", "source ./env.sh"}), "2");
  std::ofstream(folder_.path() / "functions.sh") << "f() {\n\n\nexit 3\n}\ntrue\nf\n";
  EXPECT_EQ(failed_line({"true", "source ./functions.sh"}), "2");
}

TEST_F(SetupScript, TellsWhatAnUnsetVariableEnds) {
  EXPECT_EQ(failed_line({"set -u", "true", "echo $NO_SUCH_VARIABLE"}), "3");
  EXPECT_EQ(failed_line({"true", ": ${NO_SUCH_VARIABLE:?is needed}"}), "2");
}

TEST_F(SetupScript, TellsNothingRatherThanAWrongLine) {
  EXPECT_EQ(failed_line({"true", "foo ("}), "");
  EXPECT_NE(output().find("line 2: syntax error"), std::string::npos) << output();
  EXPECT_EQ(failed_line({"exit 0"}), "");
  EXPECT_EQ(failed_line({"true"}, "/no/such/program"), "");
}

TEST_F(SetupScript, LeavesNothingToTheProgram) {
  EXPECT_EQ(failed_line({"set -a", "GIVEN=1"}, "sh -c 'env; ls /proc/self/fd'"), "");
  EXPECT_NE(output().find("GIVEN=1\n"), std::string::npos);
  EXPECT_EQ(output().find("ddpsubmit_"), std::string::npos);
  EXPECT_EQ(output().find("\n9\n"), std::string::npos);
}

TEST(SetupLine, IsQuotedWithItsPlace) {
  LaunchPlan plan = plan_with({"module load cuda", "exit 4"});
  EXPECT_EQ(describe_setup_line(plan, 1), " in line 1: `module load cuda`");
  plan.setup_places = {"run.yaml:4:5", "run.yaml:5:5"};
  EXPECT_EQ(describe_setup_line(plan, 2), " at run.yaml:5:5: `exit 4`");
  EXPECT_EQ(describe_setup_line(plan, 0), "");
  EXPECT_EQ(describe_setup_line(plan, 3), "");
}

}  // namespace
}  // namespace ddp::agent
