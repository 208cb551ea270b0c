#include "cli/launch/start/keep_source.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "cli/launch/preflight/check_run.hpp"
#include "cli/launch/start/start_run.hpp"
#include "cli/store/source_record.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "tests/unit/cli/launch/prepared_run_fixture.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// The folder is in no repository, so nobody asks git.
class KeepSourceTest : public PreparedRunTest {
 protected:
  KeepSourceTest() {
    spec.environment.snapshot = true;
    write("train.py", "first");
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }
  Expected<StartedRun> start(FolderKind kind = FolderKind::fresh) {
    return start_run(*prepare(), kind, Attachment::detached, *launcher, seams());
  }
};

TEST_F(KeepSourceTest, CopiesTheWorkingTreeAndStartsThere) {
  ASSERT_TRUE(start());
  EXPECT_EQ(load_file(run.source_tree() / "train.py").value(), "first");
  EXPECT_FALSE(fs::exists(run.source_tree() / "runs")) << "run folders are no code";
  const auto& daemon = outside.runner.daemons.at(0);
  EXPECT_EQ(daemon.folder, run.source_tree());
  EXPECT_EQ(daemon.environment.get("DDPSUBMIT_SUBMIT_DIR"), folder.path().string());
  const auto record = load_source_record(run);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->copied);
  EXPECT_EQ(record->dirty, std::nullopt);
  EXPECT_THAT(record->remarks, ElementsAre(HasSubstr("is not in a git repository")));
  struct stat info {};
  ASSERT_EQ(stat(run.source_record().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
}

TEST_F(KeepSourceTest, ARerunHasTheCopyOfTheFirstSubmission) {
  ASSERT_TRUE(start());
  write("train.py", "second");
  ASSERT_TRUE(start(FolderKind::existing));
  EXPECT_EQ(load_file(run.source_tree() / "train.py").value(), "first");
}

TEST_F(KeepSourceTest, ARunThatHasRunDoesNotGoOnWithoutItsCopy) {
  ASSERT_TRUE(start());
  fs::create_directories(run.attempt(0));
  fs::remove_all(run.source());
  const auto again = start(FolderKind::existing);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ExitCode::not_found);
  EXPECT_EQ(load_ledger(run)->back().event, "submit_refused");
  EXPECT_EQ(outside.runner.daemons.size(), 1u);
}

TEST_F(KeepSourceTest, ARunThatWasKilledBeforeItsCopyMakesItLater) {
  ASSERT_TRUE(start());
  fs::remove_all(run.source());
  fs::create_directories(run.root() / ".source.incomplete/tree/rest");
  ASSERT_TRUE(start(FolderKind::existing));
  EXPECT_TRUE(fs::exists(run.source_tree() / "train.py"));
  EXPECT_FALSE(fs::exists(run.source_tree() / "rest"));
  EXPECT_FALSE(fs::exists(run.root() / ".source.incomplete"));
}

TEST_F(KeepSourceTest, AFreshRunThatCannotCopyLeavesNothing) {
  spec.environment.snapshot_limit = 3;
  const auto started = start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("environment.snapshot_limit"));
  EXPECT_FALSE(fs::exists(run.root()));
  EXPECT_TRUE(outside.runner.daemons.empty());
}

TEST_F(KeepSourceTest, IsCheckedBeforeAnythingIsWritten) {
  spec.environment.snapshot_limit = 3;
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().front().message, HasSubstr("environment.snapshot_limit"));
  EXPECT_FALSE(fs::exists(run.root()));
}

TEST_F(KeepSourceTest, WarnsOfALinkToAnOriginalThatIsNotCopied) {
  fs::create_directories(folder / "__pycache__");
  fs::create_symlink(folder / "__pycache__", folder / "cache");
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_TRUE(checked);
  EXPECT_THAT(*checked, ElementsAre(HasSubstr("the link 'cache' leads to '")));
}

TEST_F(KeepSourceTest, WithoutGitADiffIsNotRecordedAndThatIsTold) {
  spec.environment.snapshot = false;
  spec.environment.record_diff = true;
  EXPECT_THAT(check_run(*prepare(), *launcher, seams()).value(),
              ElementsAre(HasSubstr("environment.record_diff has no effect")));
  ASSERT_TRUE(start());
  EXPECT_FALSE(load_source_record(run)->copied);
  EXPECT_EQ(outside.runner.daemons.at(0).folder, folder.path());
}

TEST_F(KeepSourceTest, NothingIsKeptUnasked) {
  spec.environment.snapshot = false;
  ASSERT_TRUE(start());
  EXPECT_FALSE(fs::exists(run.source()));
}

}  // namespace
}  // namespace ddp::cli
