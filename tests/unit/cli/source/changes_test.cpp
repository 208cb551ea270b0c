#include "cli/source/changes.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <random>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/unit/cli/source/repository_fixture.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ChangesTest : public RepositoryTest {
 protected:
  void SetUp() override {
    RepositoryTest::SetUp();
    if (IsSkipped()) return;
    write("a.py", "old\n");
    commit_all();
  }
  SourceChanges find(const ChangeLimits& limits = {}) {
    return find_changes({root, ".", TreeKind::git}, user, runner, limits);
  }
  /// A program that leaves a trace.
  std::string tracer(const std::string& name) {
    write("../" + name, "#!/bin/sh\necho ran >>" + (folder / "trace").string() + "\n");
    fs::permissions(folder / name, fs::perms::owner_all);
    return (folder / name).string();
  }
};

TEST_F(ChangesTest, AreNoneInACleanTree) {
  const auto changes = find();
  EXPECT_TRUE(changes.known);
  EXPECT_THAT(changes.files, IsEmpty());
  EXPECT_THAT(changes.diff, IsEmpty());
  EXPECT_THAT(changes.remarks, IsEmpty());
}

TEST_F(ChangesTest, AreThoseAgainstTheCommit) {
  write("a.py", "new\n");
  git({"add", "a.py"});
  write("b.py", "untracked\n");
  const auto changes = find();
  EXPECT_THAT(changes.files, ElementsAre("M  a.py", "?? b.py"));
  EXPECT_THAT(changes.diff, HasSubstr("-old\n+new\n"));
  EXPECT_THAT(changes.diff, HasSubstr("--- a/a.py\n+++ b/a.py\n"));
}

TEST_F(ChangesTest, StartNoProgramThatTheRepositoryNames) {
  git({"config", "core.fsmonitor", tracer("monitor")});
  git({"config", "core.pager", tracer("pager")});
  git({"config", "diff.external", tracer("differ")});
  git({"config", "diff.x.textconv", tracer("converter")});
  fs::remove(folder / "trace");
  write(".gitattributes", "*.py diff=x\n");
  write("a.py", "new\n");
  user.set("GIT_EXTERNAL_DIFF", tracer("differ")).set("GIT_PAGER", tracer("pager"));
  EXPECT_THAT(find().diff, HasSubstr("-old\n+new\n"));
  EXPECT_FALSE(fs::exists(folder / "trace"));
}

TEST_F(ChangesTest, ArePassedThroughCleanFilters) {
  write(".gitattributes", "*.big filter=upper\n");
  git({"config", "filter.upper.clean", "tr a-z A-Z"});
  write("w.big", "text\n");
  commit_all();
  fs::last_write_time(root / "w.big", fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_THAT(find().files, IsEmpty()) << "the content is the same";
}

TEST_F(ChangesTest, OfBinaryFilesCanBeApplied) {
  const std::string old("\0\1", 2);
  write("a.bin", old);
  commit_all();
  write("a.bin", old + "new");
  const auto changes = find();
  EXPECT_THAT(changes.diff, HasSubstr("GIT binary patch\n"));
  write("../changes.diff", changes.diff);
  git({"checkout", "-q", "--", "."});
  git({"apply", (folder / "changes.diff").string()});
  EXPECT_EQ(load_file(root / "a.bin").value(), old + "new");
}

TEST_F(ChangesTest, OfLargeBinaryFilesAreLeftOut) {
  write("a.bin", std::string(1, '\0'));
  commit_all();
  std::string random;
  std::minstd_rand bits(1);
  for (int at = 0; at < 20'000; ++at) random += static_cast<char>(bits() >> 8u);
  write("a.bin", random + std::string(1, '\0'));
  write("a.py", "new\n");
  const auto changes = find({.bytes = 4096});
  EXPECT_THAT(changes.diff, HasSubstr("-old\n+new\n"));
  EXPECT_THAT(changes.diff, HasSubstr("Binary files a/a.bin and b/a.bin differ\n"));
  EXPECT_THAT(changes.remarks, ElementsAre(HasSubstr("the diff lacks the contents of binary files")));
}

TEST_F(ChangesTest, TakeNoLock) {
  write(".git/index.lock", "");
  write("a.py", "new\n");
  EXPECT_THAT(find().diff, HasSubstr("+new"));
  EXPECT_TRUE(fs::exists(root / ".git/index.lock"));
}

TEST_F(ChangesTest, AreCutOffAtTheLimit) {
  std::string text;
  for (int line = 0; line < 1000; ++line) text += "line " + std::to_string(line) + "\n";
  write("a.py", text);
  const auto changes = find({.bytes = 2048});
  EXPECT_LE(changes.diff.size(), 2048u);
  EXPECT_TRUE(changes.diff.ends_with('\n'));
  EXPECT_THAT(changes.remarks, ElementsAre("the diff is cut off after 2 KiB"));
}

TEST_F(ChangesTest, ThatTakeTooLongAreNotWaitedFor) {
  write("../bin/git", "#!/bin/sh\nexec sleep 1000\n");
  fs::permissions(folder / "bin/git", fs::perms::owner_all);
  user.set("PATH", (folder / "bin").string() + ":" + *user.get("PATH"));
  const auto changes = find({.time = std::chrono::milliseconds(50)});
  EXPECT_FALSE(changes.known);
  EXPECT_THAT(changes.remarks, ElementsAre("the list of changed files is cut off: git took longer than 50 ms",
                                           "the diff is missing: git took too long"));
}

TEST_F(ChangesTest, WithoutARepositoryAreNotKnown) {
  const auto changes = find_changes({root, ".", TreeKind::plain}, user, runner);
  EXPECT_FALSE(changes.known);
  EXPECT_THAT(changes.remarks, ElementsAre(HasSubstr("is not in a git repository")));
}

}  // namespace
}  // namespace ddp::cli
