#include "jobenv/agent/process/setup_script.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

LaunchPlan plan_with(std::vector<std::string> setup) {
  LaunchPlan plan;
  plan.setup = std::move(setup);
  return plan;
}

class SetupScript : public testing::Test {
 protected:
  /// The number of the line that is blamed for the end of `setup`, run by bash itself; "": none.
  [[nodiscard]] std::string failed_line(std::vector<std::string> setup, const std::string& program = "true") {
    const LaunchPlan plan = plan_with(std::move(setup));
    const int status = run(render_setup_script(plan, report()), program);
    const std::string named = describe_failed_line(plan, status, read_file(report()));
    const std::size_t start = std::string_view(" in line ").size();
    return named.empty() ? "" : named.substr(start, named.find(':') - start);
  }
  /// What bash prints of `setup` without anything around it, and how it ends.
  [[nodiscard]] std::string plain_output(const std::vector<std::string>& setup, const std::string& program) {
    std::string script;
    for (const std::string& line : setup) script += line + '\n';
    const int status = run(script + "exec \"$@\"", program);
    return output() + "status " + std::to_string(status);
  }
  void expect_same_as_plain(const std::vector<std::string>& setup, const std::string& program = "env") {
    const int status = run(render_setup_script(plan_with(setup), report()), program);
    const std::string seen = output() + "status " + std::to_string(status);
    EXPECT_EQ(seen, plain_output(setup, program)) << testing::PrintToString(setup);
  }
  [[nodiscard]] std::string output() const { return read_file(folder_.path() / "out"); }
  [[nodiscard]] std::filesystem::path report() const { return folder_.path() / "it's a \"report\" $HOME"; }

  RunFixture folder_;

 private:
  int run(const std::string& script, const std::string& program) {
    std::ofstream(folder_.path() / "script") << script;
    if (std::filesystem::is_regular_file(report())) std::filesystem::remove(report());
    const std::string bash = "cd " + folder_.path().string() +
                             " && exec bash -e -c \"$(cat script)\" setup " + program + " >out 2>&1";
    return std::system(bash.c_str());
  }
};

TEST_F(SetupScript, TellsTheLineThatFails) {
  EXPECT_EQ(failed_line({"true", "false", "true"}), "2");
  EXPECT_EQ(failed_line({"false"}), "1");
  EXPECT_EQ(failed_line({"true", "no-such-program"}), "2");
  EXPECT_EQ(failed_line({"true", "cd /no/such/folder"}), "2");
  EXPECT_EQ(failed_line({"true", "ls   /no/such/file  2>/dev/null >&2"}), "2");
  EXPECT_EQ(failed_line({"set -u", "ls /no/such/file"}), "2");
  EXPECT_EQ(failed_line({"set -o noclobber", "touch x", "echo text >x"}), "3");
  EXPECT_EQ(failed_line({"true", "x=$(false)"}), "2");
}

TEST_F(SetupScript, TellsItOfCompoundCommands) {
  EXPECT_EQ(failed_line({"true", "(exit 5)"}), "2");
  EXPECT_EQ(failed_line({"true", "true | false"}), "2");
  EXPECT_EQ(failed_line({"true", "false || false"}), "2");
  EXPECT_EQ(failed_line({"if true; then", "false", "fi"}), "2");
  EXPECT_EQ(failed_line({"cat <<END", "text", "END", "false"}), "4");
}

TEST_F(SetupScript, TellsItOfATextOfSeveralLines) {
  EXPECT_EQ(failed_line({"true\ntrue\n", "true\nfalse"}), "5");
}

TEST_F(SetupScript, TellsItWhateverOptionsAreSet) {
  EXPECT_EQ(failed_line({"set -T", "false"}), "2");
  EXPECT_EQ(failed_line({"set -E", "false"}), "2");
  EXPECT_EQ(failed_line({"shopt -s extdebug", "false"}), "2");
  EXPECT_EQ(failed_line({"set -o posix", "false"}), "2");
  EXPECT_EQ(failed_line({"shopt -s nocasematch", "false"}), "2");
  EXPECT_EQ(failed_line({"set +e", "false", "set -e", "ls /no/such/file"}), "4");
}

TEST_F(SetupScript, TellsNoLineThatBashNumbersOtherwise) {
  EXPECT_EQ(failed_line({"eval $'true\\ntrue\\nfalse\\n'", "true", "true"}), "");
  EXPECT_EQ(failed_line({"eval $'true\\ntrue\\ntest 0 = 1\\n'", "true", "test -d ."}), "");
  EXPECT_EQ(failed_line({"true", "trap 'false' TERM", "kill -TERM $$", "true"}), "");
}

TEST_F(SetupScript, TellsTheLineThatCallsWhatFails) {
  EXPECT_EQ(failed_line({"f() {", "return 3", "}", "true", "f"}), "5");
  EXPECT_EQ(failed_line({"f() {", "false", "}", "true", "f"}), "5");
  EXPECT_EQ(failed_line({"f() {", "false", "}", "g() { f; }", "g 1"}), "5");
  EXPECT_EQ(failed_line({"module() { eval \"$(printf 'false\\n')\"; }", "true", "module load cuda/99"}), "3");
  EXPECT_EQ(failed_line({"f() { x=$(false); }", "true", "f"}), "3");
  EXPECT_EQ(failed_line({"f() { set +e; false; set -e; false || true; }", "f", "ls /none"}), "3");
  EXPECT_EQ(failed_line({"set -u", "f() {", "false", "}", "f"}), "5");
  std::ofstream(folder_.path() / "env.sh") << "true\n\nfalse\n";
  EXPECT_EQ(failed_line({"true", "source ./env.sh", "false"}), "2");
  EXPECT_EQ(failed_line({"f() {", ". ./env.sh", "}", "f"}), "4");
  EXPECT_EQ(failed_line({"false || f() { false; }", "IFS=x", "f"}), "3");
}

TEST_F(SetupScript, TellsNoLineOfWhatBashDoesNotTrap) {
  EXPECT_EQ(failed_line({"true", "exit 4"}), "");
  EXPECT_EQ(failed_line({"false || exit 1"}), "");
  EXPECT_EQ(failed_line({"trap 'exit 7' TERM", "kill -TERM $$", "true"}), "");
  EXPECT_EQ(failed_line({"true", ": ${NO_SUCH_VARIABLE:?is needed}"}), "");
  EXPECT_EQ(failed_line({"true", "foo ("}), "");
  EXPECT_NE(output().find("line 2: syntax error"), std::string::npos) << output();
  EXPECT_EQ(failed_line({"exit 0"}), "");
  EXPECT_EQ(failed_line({"true"}, "/no/such/program"), "");
}

TEST_F(SetupScript, TellsNoLineThatTheScriptHasOutlived) {
  EXPECT_EQ(failed_line({"set +e; ls /no/such/file; set -e", "foo ("}), "");
  EXPECT_EQ(failed_line({"set -E", "(ls /no/such/file) & wait $! || true", "exit 2"}), "");
  EXPECT_EQ(failed_line({"shopt -s nocasematch", "set -E +e", "ls /no/such/file", "exit 2"}), "");
  EXPECT_EQ(failed_line({"trap 'exit 9' EXIT", "false"}), "");
}

TEST_F(SetupScript, IsTheLinesOwnMatterOnceTheyTrapErr) {
  EXPECT_EQ(failed_line({"trap 'echo mine' ERR", "false"}), "");
  EXPECT_EQ(output(), "mine\n");
}

TEST_F(SetupScript, ChangesNothingForTheLines) {
  expect_same_as_plain({"mkdir -p one/two", "cd \"$_\"", "pwd", "cd ../..; rm -r one"});
  expect_same_as_plain({"set +e", "ls /no/such/file", "echo \"$_ $?\""});
  expect_same_as_plain({"set +e", "true | sh -c 'exit 3'", "echo \"${PIPESTATUS[@]}\""});
  expect_same_as_plain({"trap 'echo \"$? $_ $BASH_COMMAND\"' EXIT", "ls /no/such/file"});
  expect_same_as_plain({"trap -p EXIT DEBUG RETURN TERM", "trap 'echo seen' DEBUG", "true"});
  expect_same_as_plain({"readonly line code report", "true"});
  expect_same_as_plain({"set -u", "ls /no/such/file"});
  expect_same_as_plain({"for fd in 3 4 5 6 7 8 9; do eval \"exec $fd>/dev/null\"; done"},
                       "sh -c 'cd /proc/$$/fd; echo *'");
}

TEST_F(SetupScript, ShowsNothingOfItselfUnderXtrace) {
  expect_same_as_plain({"set -x", "true"});
  expect_same_as_plain({"set -x", "false"});
  expect_same_as_plain({"set -x", "set +e", "false", "true"});
}

TEST_F(SetupScript, LeavesNothingToTheProgram) {
  expect_same_as_plain({"set -a", "GIVEN=1"});
  expect_same_as_plain({"true"}, "sh -c 'cd /proc/$$/fd; echo *'");
  EXPECT_FALSE(std::filesystem::exists(report()));
}

TEST_F(SetupScript, FailsAsWellWithoutAReport) {
  std::filesystem::create_directories(report() / "full");
  expect_same_as_plain({"true", "ls /no/such/file"});
  expect_same_as_plain({"set -o posix", "ls /no/such/file"});
  expect_same_as_plain({"trap 'echo \"$? $_\"' EXIT", "ls /no/such/file"});
}

TEST(FailedLine, IsQuotedWithItsPlace) {
  LaunchPlan plan = plan_with({"module load cuda", "true\n  cd /none"});
  const int status = 1 << 8;
  EXPECT_EQ(describe_failed_line(plan, status, "1 1 0 @ module load cuda"), " in line 1: `module load cuda`");
  plan.setup_places = {"run.yaml:4:5", "run.yaml:5:5"};
  EXPECT_EQ(describe_failed_line(plan, status, "1 3 0 @ cd /none"), " at run.yaml:5:5: `cd /none`");
}

TEST(FailedLine, NamesTheFunctionOrTheFileThatFailed) {
  LaunchPlan plan = plan_with({"module load cuda", "source site.sh"});
  const int status = 1 << 8;
  EXPECT_EQ(describe_failed_line(plan, status, "1 7 1 @module false"),
            " in line 1: `module load cuda`, where 'module' failed at `false`");
  EXPECT_EQ(describe_failed_line(plan, status, "1 7 2 @ grep x y"),
            " in line 2: `source site.sh`, where the file failed at `grep x y`");
}

TEST(BashError, IsPlacedInTheLinesOrTold) {
  LaunchPlan plan = plan_with({"set -u", "echo $FOO", "source site.sh"});
  plan.setup_places = {"run.yaml:4:5", "run.yaml:5:5", "run.yaml:6:5"};
  EXPECT_EQ(describe_bash_error(plan, "x\nenvironment.setup: line 2: FOO: unbound variable\n"),
            " at run.yaml:5:5: `echo $FOO`: FOO: unbound variable");
  EXPECT_EQ(describe_bash_error(plan, "environment: line 2: FOO: unbound variable\n"),
            " at run.yaml:5:5: `echo $FOO`: FOO: unbound variable");
  EXPECT_EQ(describe_bash_error(plan, "site.sh: line 2: BAR: unbound variable\n"),
            ": site.sh: line 2: BAR: unbound variable");
  for (const char* output : {"", "site.sh: line 2: words", "environment.setup: line 9: FOO: unbound"}) {
    EXPECT_EQ(describe_bash_error(plan, output), "") << output;
  }
}

TEST(FailedLine, SaysWhatBringsAModuleCommandThatIsNotThere) {
  const LaunchPlan plan = plan_with({"module load cuda"});
  EXPECT_EQ(
      describe_failed_line(plan, 127 << 8, "127 1 0 @ module load cuda"),
      " in line 1: `module load cuda` (environment.pass: [BASH_ENV] brings it, where BASH_ENV defines it)");
}

TEST(FailedLine, IsNotThatOfAnotherEnd) {
  const LaunchPlan plan = plan_with({"false"});
  EXPECT_EQ(describe_failed_line(plan, 1 << 8, "1 1 0 @ false"), " in line 1: `false`");
  EXPECT_EQ(describe_failed_line(plan, 2 << 8, "1 1 0 @ false"), "");
  EXPECT_EQ(describe_failed_line(plan, 15, "1 1 0 @ false"), "");
}

TEST(FailedLine, IsNoneWithoutAReportThatHolds) {
  const LaunchPlan plan = plan_with({"false"});
  for (const char* report : {"", "1", "1 1", "1 1 0 @ ", "x", "1 1 0 false", "1 0 0 @ false", "1 2 0 @ false",
                             "1 1 0 @ true", "1 1 0 @ > /none", "1 1 1 @g false"}) {
    EXPECT_EQ(describe_failed_line(plan, 1 << 8, report), "") << report;
  }
}

}  // namespace
}  // namespace ddp::agent
