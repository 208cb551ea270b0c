#include "cli/source/source_revision.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

const std::string kCommit(40, 'a');
const std::string kOther(40, 'b');

class Source : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  [[nodiscard]] std::optional<SourceRevision> find(const std::string& path = "tree/a/b") {
    fs::create_directories(folder_ / path);
    return find_source_revision(folder_ / path);
  }

  TemporaryFolder folder_;
};

TEST_F(Source, IsThatOfTheBranch) {
  write("tree/.git/HEAD", "ref: refs/heads/topic/one\n");
  write("tree/.git/refs/heads/topic/one", kCommit + "\n");
  EXPECT_EQ(find(), (SourceRevision{kCommit, "topic/one"}));
  EXPECT_EQ(find("tree"), (SourceRevision{kCommit, "topic/one"}));
}

TEST_F(Source, IsFoundAmongPackedReferences) {
  write("tree/.git/HEAD", "ref: refs/heads/main\n");
  write("tree/.git/packed-refs", "# pack-refs with: peeled fully-peeled sorted\n" + kOther +
                                     " refs/heads/main2\n" + kCommit + " refs/heads/main\n");
  EXPECT_EQ(find(), (SourceRevision{kCommit, "main"}));
}

TEST_F(Source, WithoutABranchIsACommit) {
  write("tree/.git/HEAD", kCommit + "\n");
  EXPECT_EQ(find(), (SourceRevision{kCommit, ""}));
}

TEST_F(Source, OfAWorkTreeThatWasAddedIsItsOwn) {
  write("main/.git/HEAD", "ref: refs/heads/main\n");
  write("main/.git/refs/heads/main", kOther + "\n");
  write("main/.git/refs/heads/topic", kCommit + "\n");
  write("main/.git/worktrees/tree/HEAD", "ref: refs/heads/topic\n");
  write("main/.git/worktrees/tree/commondir", "../..\n");
  write("tree/.git", "gitdir: ../main/.git/worktrees/tree\n");
  EXPECT_EQ(find(), (SourceRevision{kCommit, "topic"}));
}

TEST_F(Source, IsUnknownWithoutACommit) {
  EXPECT_EQ(find(), std::nullopt);
  write("tree/.git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(find(), std::nullopt) << "nothing was committed yet";
  write("tree/.git/HEAD", "nonsense");
  EXPECT_EQ(find(), std::nullopt);
}

}  // namespace
}  // namespace ddp::cli
