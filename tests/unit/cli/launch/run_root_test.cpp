#include "cli/launch/run_root.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/run_folder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::HasSubstr;

class RunRootTest : public testing::Test {
 protected:
  RunRootTest() {
    spec.run_root = folder.path();
    spec.launcher = LauncherKind::slurm;
  }
  TemporaryFolder folder;
  RunSpec spec;
  FolderProbe local{.existing = "/", .problem = {}, .file_system = "ext4", .sharing = Sharing::this_host};
};

TEST_F(RunRootTest, HasToTakeAFile) {
  local.problem = "Read-only file system";
  const auto verdict = judge_run_root(spec, local);
  ASSERT_TRUE(verdict.error);
  EXPECT_EQ(verdict.error->code, ExitCode::preflight_failed);
  EXPECT_THAT(verdict.error->message, HasSubstr("nothing can be made in '/': Read-only file system"));
}

TEST_F(RunRootTest, OfThisHostAloneIsAWarning) {
  EXPECT_THAT(*judge_run_root(spec, local).warning, HasSubstr("run_root is on ext4"));
  spec.launcher = LauncherKind::local;
  EXPECT_FALSE(judge_run_root(spec, local).warning);
}

TEST_F(RunRootTest, ThatIsSharedOrNotKnownIsFine) {
  for (const auto sharing : {Sharing::shared, Sharing::unknown}) {
    local.sharing = sharing;
    EXPECT_FALSE(judge_run_root(spec, local).warning);
  }
}

TEST_F(RunRootTest, IsSharedIfANodeHasWrittenThereBefore) {
  const RunFolder run(folder / "job-1");
  ASSERT_TRUE(run.create());
  std::ofstream(run.script()) << "#!/bin/sh\n";
  EXPECT_TRUE(judge_run_root(spec, local).warning);
  ASSERT_TRUE(run.claim_attempt("nonce", "7", 0));
  EXPECT_FALSE(judge_run_root(spec, local).warning);
}

}  // namespace
}  // namespace ddp::cli
