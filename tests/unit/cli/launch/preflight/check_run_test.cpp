#include "cli/launch/preflight/check_run.hpp"

#include <gmock/gmock.h>

#include "tests/unit/cli/launch/prepared_run_fixture.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class CheckRunTest : public PreparedRunTest {};

TEST_F(CheckRunTest, PreparingAndCheckingWriteNothing) {
  const auto prepared = prepare();
  ASSERT_TRUE(prepared);
  EXPECT_TRUE(check_run(*prepared, *launcher, seams()));
  EXPECT_FALSE(fs::exists(run.root()));
  EXPECT_FALSE(fs::exists(folder / "state"));
  EXPECT_EQ(prepared->dropped, std::vector<std::string>{"SLURM_JOB_ID"});
}

TEST_F(CheckRunTest, MissesASecretBeforeAnythingIsWritten) {
  spec.environment.secrets = {"NOT_THERE"};
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().front().code, ExitCode::config_invalid);
  EXPECT_THAT(checked.error().front().message, HasSubstr("NOT_THERE"));
}

TEST_F(CheckRunTest, MissesProgramsBeforeAnythingIsWritten) {
  spec.command = {"no-such-program"};
  EXPECT_EQ(check_run(*prepare(), *launcher, seams()).error().front().code, ExitCode::preflight_failed);
  spec.command = {"./here"};
  EXPECT_FALSE(check_run(*prepare(), *launcher, seams()));
  make_program("here");
  EXPECT_TRUE(check_run(*prepare(), *launcher, seams())) << "relative to where the programs run";
  fs::remove(folder / "ddp-agent");
  EXPECT_THAT(check_run(*prepare(), *launcher, seams()).error().front().message, HasSubstr("ddp-agent"));
}

TEST_F(CheckRunTest, FindsAllThatThisMachineLacksAtOnce) {
  spec.command = {"no-such-program"};
  spec.resources.gpus_per_node = 1;
  spec.environment.secrets = {"NOT_THERE"};
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_FALSE(checked);
  std::vector<std::string> messages;
  for (const auto& error : checked.error()) messages.push_back(error.message);
  EXPECT_THAT(messages, ElementsAre("program 'no-such-program' is not in PATH",
                                    "resources.gpus_per_node is 1: this machine has no NVIDIA GPU",
                                    "environment.secrets: 'NOT_THERE' is not set"));
}

TEST_F(CheckRunTest, WarnsOfWhatIsNotEnforced) {
  spec.resources.memory_bytes = 1024;
  EXPECT_THAT(check_run(*prepare(), *launcher, seams()).value(),
              ElementsAre("resources.memory is not enforced by launcher local"));
}

TEST_F(CheckRunTest, MissesTheDataOfATraining) {
  make_program("ddptrain");
  spec.command.clear();
  spec.train.emplace().data.source = {"fashion_mnist", {{"root", folder / "data"}, {"normalize", true}}};
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().front().code, ExitCode::preflight_failed);
  EXPECT_THAT(checked.error().front().message, HasSubstr("Fashion-MNIST is not in"));
  spec.environment.setup = {"tar -xf data.tar"};
  EXPECT_TRUE(check_run(*prepare(), *launcher, seams())) << "the lines may bring it";
  spec.environment.setup.clear();
  spec.launcher = find_launcher("slurm");
  launcher = std::move(*make_launcher("slurm", seams()));
  EXPECT_TRUE(preflight(*prepare(), *launcher).errors.empty()) << "the nodes may have it";
}

TEST_F(CheckRunTest, CannotForeseeWhatSetupLinesChange) {
  spec.command = {"no-such-program"};
  spec.environment.setup = {"PATH=$PATH:/opt"};
  EXPECT_TRUE(check_run(*prepare(), *launcher, seams()));
}

}  // namespace
}  // namespace ddp::cli
