#include "cli/launchers/slurm/script/explain_script.hpp"
#include "cli/launchers/slurm/keys/slurm_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kScriptToExplain =
    "#!/bin/bash\n\n#SBATCH --nodes=2\n#SBATCH --exclusive\n\ntrap '' TERM\nset -e\n\nset -e\necho\n\nexec "
    "x\n";

RunSpec spec_with_setup() {
  RunSpec spec;
  options_of<SlurmOptions>(spec).setup = {"set -e"};
  spec.environment.setup = {"echo"};
  return spec;
}

const std::vector<SbatchOption> kOptions = {{"nodes", "2", {"resources.nodes"}, {}},
                                            {"exclusive", "", {"slurm.options.exclusive"}, "why"}};

TEST(ExplainScript, GivesEachLineInItsOrder) {
  std::string text;
  for (const auto& line : explain_script(kScriptToExplain, kOptions, spec_with_setup()))
    text += line.text + '\n';
  EXPECT_EQ(text, kScriptToExplain);
}

TEST(ExplainScript, NamesTheValuesOfOptionsAndSetUpLines) {
  const auto lines = explain_script(kScriptToExplain, kOptions, spec_with_setup());
  EXPECT_THAT(lines[2].keys, ElementsAre("resources.nodes"));
  EXPECT_THAT(lines[3].keys, ElementsAre("slurm.options.exclusive"));
  EXPECT_EQ(lines[3].why, "why");
  EXPECT_THAT(lines[6].keys, IsEmpty());  // the template's own `set -e`
  EXPECT_THAT(lines[8].keys, ElementsAre("slurm.setup[0]"));
  EXPECT_THAT(lines[9].keys, ElementsAre("environment.setup[0]"));
}

TEST(ExplainScript, NamesTheOptionsOfSrun) {
  auto spec = spec_with_setup();
  options_of<SlurmOptions>(spec).srun_options = {{"cpu-bind", "none"}, {"overlap", ""}};
  const auto lines = explain_script(
      "#SBATCH --nodes=2\n# srun gets --cpu-bind=none\n# srun gets --overlap\nexec x\n", {kOptions[0]}, spec);
  EXPECT_THAT(lines[1].keys, ElementsAre("slurm.srun_options.cpu-bind"));
  EXPECT_THAT(lines[2].keys, ElementsAre("slurm.srun_options.overlap"));
}

TEST(ExplainScript, HasAReasonForEveryOtherLine) {
  for (const auto& line : explain_script(kScriptToExplain, kOptions, spec_with_setup())) {
    EXPECT_EQ(line.keys.empty() && line.why.empty(), line.text.empty()) << line.text;
  }
}

TEST(ExplainScript, TakesLinesOfAnOwnTemplateForIts) {
  auto spec = spec_with_setup();
  options_of<SlurmOptions>(spec).template_file = "/own.mustache";
  const auto lines = explain_script(kScriptToExplain, kOptions, spec);
  EXPECT_THAT(lines[0].keys, ElementsAre("slurm.template"));
  EXPECT_THAT(lines[2].keys, ElementsAre("resources.nodes"));
}

}  // namespace
}  // namespace ddp::cli
