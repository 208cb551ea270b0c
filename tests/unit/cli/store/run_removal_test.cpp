#include "cli/store/run_removal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/store/submission_lock.hpp"
#include "jobenv/record/run_folder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RunRemovalTest : public testing::Test {
 protected:
  RunRemovalTest() {
    (void)folder.create();
    std::ofstream(folder.ledger_of("submit")) << "\n";
    std::ofstream(folder.plan()) << "{}\n";
    (void)store.save(pointer);
  }

  TemporaryFolder home;
  RunStore store{home / "state"};
  RunFolder folder{home / "runs/job-1"};
  RunPointer pointer{.run_id = "job-1",
                     .name = "job",
                     .run_dir = folder.root(),
                     .launcher = "local",
                     .job_id = {},
                     .created = {}};
};

TEST_F(RunRemovalTest, RenamesDeletesAndForgets) {
  ASSERT_TRUE(begin_removal(pointer));
  EXPECT_TRUE(is_being_removed(pointer));
  EXPECT_FALSE(fs::exists(folder.root()));
  EXPECT_TRUE(fs::exists(store.path_of("job-1"))) << "until its files are gone";
  ASSERT_TRUE(finish_removal(pointer, store));
  EXPECT_FALSE(is_being_removed(pointer));
  EXPECT_TRUE(fs::is_empty(home / "runs"));
  EXPECT_FALSE(fs::exists(store.path_of("job-1")));
}

TEST_F(RunRemovalTest, AWholeRunIsNotBeingRemoved) {
  EXPECT_FALSE(is_being_removed(pointer));
}

TEST_F(RunRemovalTest, RefusesALink) {
  fs::rename(folder.root(), home / "elsewhere");
  fs::create_directory_symlink(home / "elsewhere", folder.root());
  const auto begun = begin_removal(pointer);
  ASSERT_FALSE(begun);
  EXPECT_THAT(begun.error().message, HasSubstr("it is not a folder itself"));
  EXPECT_TRUE(fs::exists(home / "elsewhere/plan.json"));
}

TEST_F(RunRemovalTest, RefusesALedgerBehindALink) {
  fs::rename(folder.ledger(), home / "ledger");
  fs::create_directory_symlink(home / "ledger", folder.ledger());
  EXPECT_FALSE(check_run_folder(pointer));
}

TEST_F(RunRemovalTest, RefusesAFolderOfAnotherName) {
  pointer.run_id = "job-2";
  EXPECT_FALSE(check_run_folder(pointer));
  pointer = {.run_id = "job-1",
             .name = "job",
             .run_dir = (home / "runs/x/../job-1").string(),
             .launcher = "local",
             .job_id = {},
             .created = {}};
  EXPECT_FALSE(check_run_folder(pointer));
}

TEST_F(RunRemovalTest, RefusesAFolderWithoutPlan) {
  fs::remove(folder.plan());
  EXPECT_FALSE(check_run_folder(pointer));
  std::ofstream(folder.sweep_record()) << "{}\n";
  EXPECT_TRUE(check_run_folder(pointer)) << "a sweep has none";
}

TEST_F(RunRemovalTest, WhoHasOpenedTheLedgerBeforeDoesNotGetTheLock) {
  ASSERT_TRUE(lock_submission(folder));
  ASSERT_TRUE(begin_removal(pointer));
  const auto lock = lock_submission(folder);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, ExitCode::not_found);
}

}  // namespace
}  // namespace ddp::cli
