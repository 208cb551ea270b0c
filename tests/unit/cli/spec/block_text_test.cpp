#include <gmock/gmock.h>

#include "cli/spec/render_spec.hpp"
#include "spec_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BlockText : public SpecFolder {
 protected:
  [[nodiscard]] RunSpec reloaded(const RunSpec& spec) const {
    write("runs/x/spec.yaml", render_spec(spec));
    auto again = load_resolved_spec(root_ / "runs/x/spec.yaml");
    EXPECT_TRUE(again) << render_spec(spec) << render_diagnostics(again ? Errors{} : again.error());
    return again.value_or(RunSpec{});
  }
};

TEST_F(BlockText, IsAWordOfACommandAsItIs) {
  const RunSpec spec = good(
      "name: x\n"
      "command:\n"
      "  - bash\n"
      "  - -c\n"
      "  - |\n"
      "    echo \"$1\" `x` \\\n"
      "\n"
      "      # $(no comment)\n"
      "    it's\n"
      "  - >-\n"
      "    a\n"
      "    b\n");
  EXPECT_THAT(spec.command,
              ElementsAre("bash", "-c", "echo \"$1\" `x` \\\n\n  # $(no comment)\nit's\n", "a b"));
  EXPECT_EQ(reloaded(spec), spec);
  EXPECT_EQ(render_spec(reloaded(spec)), render_spec(spec));
  EXPECT_THAT(good("name: x\ncommand: [a, \"b\\n\\tc\"]\n").command, ElementsAre("a", "b\n\tc"));
  EXPECT_THAT(good(kCommand, {"command=[a, \"b\\nc\"]"}).command, ElementsAre("a", "b\nc"));
}

TEST_F(BlockText, IsLinesOfSetUpEachAtItsPlace) {
  const RunSpec spec = good(
      "environment:\n"
      "  setup: |\n"
      "    module load cuda\n"
      "\n"
      "    # of the cluster\n"
      "    if true; then\n"
      "      x=1\n"
      "    fi\n"
      "slurm:\n"
      "  setup:\n"
      "    - a\n"
      "    - |\n"
      "      b\n"
      "      c\n"
      "    - \"d\\ne\"\n" +
      kCommand);
  EXPECT_THAT(spec.environment.setup,
              ElementsAre("module load cuda", "", "# of the cluster", "if true; then", "  x=1", "fi"));
  EXPECT_EQ(render_place(*spec.origins.mark("environment.setup[0]")), "run.yaml:3:5");
  EXPECT_EQ(render_place(*spec.origins.mark("environment.setup[4]")), "run.yaml:7:7");
  EXPECT_THAT(render_spec(spec),
              HasSubstr("    - \"  x=1\"                                     # run.yaml:7\n"));
  EXPECT_THAT(render_spec(spec),
              HasSubstr("    - c                                           # run.yaml:14\n"));
  EXPECT_THAT(render_spec(spec),
              HasSubstr("    - e                                           # run.yaml:15\n"));
  EXPECT_EQ(reloaded(spec), spec);
}

TEST_F(BlockText, IsRefusedWhereItWouldBeSomethingElse) {
  const auto refusal = testing::HasSubstr("a value with a line break");
  for (const char* text : {"name: |\n  a\n  b\n", "slurm: {partition: \"a\\n#SBATCH -p b\"}\n",
                           "environment: {set: {A: \"b\\nc\"}}\n", "run_root: \"a\\nb\"\n",
                           "slurm: {options: {hold: \"a\\nb\"}}\n", "environment: {pass: [\"a\\nb\"]}\n",
                           "slurm: {srun_options: {a: \"b\\nc\"}}\n", "ssh: {hosts: [\"a\\nb\"]}\n",
                           "sweep: {command: [[\"a\\nb\"]]}\n", "sweep: {environment.set.A: [\"a\\nb\"]}\n"})
    EXPECT_THAT(diagnose(text + kCommand), refusal) << text;
  EXPECT_THAT(diagnose("command: [&a \"b\\nc\"]\nname: *a\n"),
              HasSubstr("this alias refers to a text with a line break"));
  EXPECT_THAT(diagnose("environment: &a {setup: \"b\\nc\"}\nslurm: *a\n" + kCommand),
              HasSubstr("this alias refers to a text with a line break"));
  EXPECT_THAT(diagnose(kCommand, {"name=\"a\\nb\""}), refusal);
  EXPECT_THAT(diagnose(kCommand, {"environment={set: {A: \"b\\nc\"}}"}), refusal);
  EXPECT_THAT(diagnose("environment: {setup: [\"a\\tb\"]}\n" + kCommand),
              HasSubstr("a control character in a value"));
  EXPECT_THAT(diagnose("command: [\"a\\rb\"]\n"), HasSubstr("a control character in a value"));
  EXPECT_THAT(diagnose("command: [\"a\\0b\"]\n"), HasSubstr("a control character in a value"));
  EXPECT_THAT(diagnose("command: [a]\n\"b\\nc\": d\n"), refusal);
}

TEST_F(BlockText, AnAliasMayHoldWhatItsOwnPlaceMayHold) {
  EXPECT_THAT(error_of("name: x\ncommand: [prog, &a \"x\\ty\"]\nenvironment: {setup: [*a]}\n"),
              HasSubstr("3 this alias refers to a text with a line break or a tab"));
  const RunSpec spec = good("name: x\ncommand: [prog, &a \"x\\ny\"]\nenvironment: {setup: [*a]}\n");
  EXPECT_THAT(spec.environment.setup, ElementsAre("x", "y"));
}

TEST_F(BlockText, ASignFarToTheRightIsABlockToo) {
  const RunSpec spec = good("name: x\ncommand: [prog]\nenvironment:\n  setup:" + std::string(4'200, ' ') +
                            "|\n    a\n    b\n");
  EXPECT_THAT(spec.environment.setup, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace ddp::cli
