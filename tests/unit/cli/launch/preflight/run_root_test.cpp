#include "cli/launch/preflight/run_root.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/run_folder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RunRootTest : public testing::Test {
 protected:
  RunRootTest() {
    spec.run_root = folder.path();
    spec.launcher = find_launcher("slurm");
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
  EXPECT_THAT(verdict.error->message, HasSubstr("nothing can be written to '/': Read-only file system"));
}

TEST_F(RunRootTest, ThatEveryUserCanWriteToIsAnError) {
  local.exposure = Error{ExitCode::preflight_failed, "every user can write to '/x'", "chmod o-w '/x'"};
  const auto verdict = judge_run_root(spec, local);
  ASSERT_TRUE(verdict.error);
  EXPECT_EQ(verdict.error->code, ExitCode::preflight_failed);
  EXPECT_THAT(verdict.error->message, HasSubstr("run_root is '" + spec.run_root + "': every user can write"));
  EXPECT_EQ(verdict.error->hint, "chmod o-w '/x'");
}

TEST_F(RunRootTest, ThatAGroupCanWriteToIsAWarning) {
  local.note = "the group lab can write to '/x'";
  local.sharing = Sharing::shared;
  EXPECT_FALSE(judge_run_root(spec, local).error);
  EXPECT_THAT(judge_run_root(spec, local).warnings, ElementsAre("run_root: the group lab can write to '/x'"));
}

TEST_F(RunRootTest, OfThisHostAloneIsAWarning) {
  EXPECT_THAT(judge_run_root(spec, local).warnings,
              ElementsAre(HasSubstr("run_root is on a local disk (ext4)")));
  spec.launcher = find_launcher("local");
  EXPECT_THAT(judge_run_root(spec, local).warnings, IsEmpty());
}

TEST_F(RunRootTest, ThatIsSharedOrNotKnownIsFine) {
  for (const auto sharing : {Sharing::shared, Sharing::unknown}) {
    local.sharing = sharing;
    EXPECT_THAT(judge_run_root(spec, local).warnings, IsEmpty());
  }
}

TEST_F(RunRootTest, IsSharedIfANodeHasWrittenThereBefore) {
  const RunFolder run(folder / "job-1");
  ASSERT_TRUE(run.create());
  std::ofstream(run.script()) << "#!/bin/sh\n";
  EXPECT_THAT(judge_run_root(spec, local).warnings, SizeIs(1));
  ASSERT_TRUE(run.claim_attempt("nonce", "7", 0));
  EXPECT_THAT(judge_run_root(spec, local).warnings, IsEmpty());
}

}  // namespace
}  // namespace ddp::cli
