#include "cli/source/work_tree.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/source/run_folders.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

class WorkTreeTest : public testing::Test {
 protected:
  TemporaryFolder temporary_;
  fs::path folder_ = fs::canonical(temporary_.path());
};

TEST_F(WorkTreeTest, IsTheFolderWithGitAroundIt) {
  fs::create_directories(folder_ / "a/.git");
  fs::create_directories(folder_ / "a/b/c");
  EXPECT_EQ(find_work_tree(folder_ / "a/b/c"), (WorkTree{folder_ / "a", "b/c", TreeKind::git}));
  EXPECT_EQ(find_work_tree(folder_ / "a"), (WorkTree{folder_ / "a", ".", TreeKind::git}));
}

TEST_F(WorkTreeTest, OfASubmoduleIsItsOwn) {
  fs::create_directories(folder_ / "a/.git/modules/sub");
  fs::create_directories(folder_ / "a/sub/x");
  std::ofstream(folder_ / "a/sub/.git") << "gitdir: ../.git/modules/sub\n";
  EXPECT_EQ(find_work_tree(folder_ / "a/sub/x"), (WorkTree{folder_ / "a/sub", "x", TreeKind::git}));
}

TEST_F(WorkTreeTest, WithoutGitIsTheFolderItself) {
  fs::create_directories(folder_ / "a/b");
  EXPECT_EQ(find_work_tree(folder_ / "a/b"), (WorkTree{folder_ / "a/b", ".", TreeKind::plain}));
}

TEST_F(WorkTreeTest, KnowsItsRunFolders) {
  for (const char* name : {"runs/job-1", "runs/sweep-1"}) {
    fs::create_directories(folder_ / name / "ledger");
    std::ofstream(folder_ / name / "spec.yaml").flush();
  }
  std::ofstream(folder_ / "runs/job-1/plan.json").flush();
  std::ofstream(folder_ / "runs/sweep-1/sweep.json").flush();
  fs::create_directories(folder_ / "runs/code/ledger");
  RunFolders runs(folder_);
  EXPECT_TRUE(runs.hold("runs/job-1/plan.json"));
  EXPECT_TRUE(runs.hold("runs/job-1/logs/attempt-0/x"));
  EXPECT_TRUE(runs.hold("runs/sweep-1/points/0/x"));
  EXPECT_TRUE(runs.hold("runs/.deleting-job-0/x"));
  EXPECT_FALSE(runs.hold("runs/x"));
  EXPECT_FALSE(runs.hold("runs/code/train.py"));
  EXPECT_FALSE(runs.hold("train.py"));
}

}  // namespace
}  // namespace ddp::cli
