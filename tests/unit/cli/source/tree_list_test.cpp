#include "cli/source/tree_list.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/unit/cli/source/repository_fixture.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class TreeListTest : public RepositoryTest {
 protected:
  void write_run() {
    for (const char* name : {"ledger/submit.jsonl", "spec.yaml", "plan.json", "output/x"})
      write(fs::path("runs/job-1") / name, "5");
  }
  /// "name", "name@" of a link, "name/" of a folder.
  std::vector<std::string> names(TreeKind kind = TreeKind::git) {
    const auto list = list_tree({root, ".", kind}, user, runner);
    if (!list) return {list.error().message};
    std::vector<std::string> found;
    for (const auto& entry : list->entries) {
      const std::string mark = entry.kind == EntryKind::link     ? "@"
                               : entry.kind == EntryKind::folder ? "/"
                                                                 : "";
      found.push_back(entry.name.string() + mark);
    }
    return found;
  }
};

TEST_F(TreeListTest, HasTrackedAndUnignoredFiles) {
  write(".gitignore", "*.log\n/build\n");
  write("train.py", "1");
  write("gone.py", "1");
  commit_all();
  fs::remove(root / "gone.py");
  write("new \"x\"\n.py", "2");
  write("a.log", "3");
  write("build/app", "4");
  write_run();
  write("runs/code.py", "6");
  fs::create_symlink("train.py", root / "link");
  EXPECT_THAT(names(), ElementsAre(".gitignore", "link@", "new \"x\"\n.py", "runs/code.py", "train.py"));
}

TEST_F(TreeListTest, HasTheFilesOfSubmodulesAndOfRepositoriesWithin) {
  write("lib/lib.py", "1");
  git({"init", "-q"}, "lib");
  git({"add", "-A"}, "lib");
  git({"commit", "-q", "-m", "lib"}, "lib");
  fs::rename(root / "lib", folder / "lib");
  git({"submodule", "--quiet", "add", (folder / "lib").string(), "sub"});
  write("own/own.py", "1");
  git({"init", "-q"}, "own");
  write("sub/new.py", "2");
  EXPECT_THAT(names(), ElementsAre(".gitmodules", "own/own.py", "sub/lib.py", "sub/new.py"));
  git({"submodule", "--quiet", "deinit", "--force", "sub"});
  EXPECT_THAT(names(), ElementsAre(".gitmodules", "own/own.py", "sub/"));
}

TEST_F(TreeListTest, HasALinkInThePlaceOfATrackedFolder) {
  write("data/deep/.gitkeep", "1");
  commit_all();
  fs::rename(root / "data", folder / "data");
  fs::create_symlink(folder / "data", root / "data");
  EXPECT_THAT(names(), ElementsAre("data@"));
}

TEST_F(TreeListTest, TellsWhatGitTracks) {
  write("a.py", "1");
  commit_all();
  write("b.py", "2");
  const auto list = list_tree({root, ".", TreeKind::git}, user, runner);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->entries.size(), 2u);
  EXPECT_TRUE(list->entries[0].tracked);
  EXPECT_FALSE(list->entries[1].tracked);
}

TEST_F(TreeListTest, FindsEntriesAndFolders) {
  const TreeList list{.entries = {{"a/x", EntryKind::file, 1}, {"b", EntryKind::file, 1}}, .bytes = 2};
  ASSERT_NE(list.find("a"), nullptr);
  EXPECT_EQ(list.find("a")->name, "a/x");
  EXPECT_EQ(list.find("a/")->name, "a/x");
  EXPECT_EQ(list.find("a/x/y"), nullptr);
  EXPECT_EQ(list.find("aa"), nullptr);
  EXPECT_EQ(list.find("b")->name, "b");
}

TEST_F(TreeListTest, WithAnUnreadableFileSaysSo) {
  write("a.py", "1");
  write("key", "1");
  fs::permissions(root / "key", fs::perms::none);
  if (geteuid() == 0) GTEST_SKIP() << "root may read all files";
  const TreeList list{.entries = {{"a.py", EntryKind::file, 1}, {"key", EntryKind::file, 1}}, .bytes = 2};
  const auto error = find_unreadable(list, {root, ".", TreeKind::git});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message,
            "environment.snapshot cannot copy '" + (root / "key").string() + "': permission denied");
  EXPECT_EQ(error->hint, "make it readable, or list it in .gitignore");
}

TEST_F(TreeListTest, DoesNotAskTheRepositoryOfTheEnvironment) {
  write("a", "1");
  user.set("GIT_DIR", "/none").set("GIT_INDEX_FILE", "/none");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(TreeListTest, SaysWhyGitDoesNotList) {
  fs::remove(root / ".git/HEAD");
  EXPECT_THAT(names(), ElementsAre(HasSubstr("cannot be listed: git says: fatal: ")));
}

TEST_F(TreeListTest, WithoutGitLeavesOutCachesAndEnvironments) {
  write("a.py", "1");
  write("a.pyc", "1");
  write("pkg/__pycache__/b", "1");
  write("pkg/b.py", "1");
  write("venv/pyvenv.cfg", "");
  write("conda/conda-meta/history", "");
  write_run();
  fs::create_symlink("/tmp", root / "tmp");
  EXPECT_THAT(names(TreeKind::plain), ElementsAre("a.py", "pkg/b.py", "tmp@"));
}

TEST_F(TreeListTest, ThatIsTooLargeNamesWhatIsLarge) {
  const TreeList list{.entries = {{"a.py", EntryKind::file, 10}, {"data/x", EntryKind::file, 3u << 20u}},
                      .bytes = (3u << 20u) + 10};
  EXPECT_FALSE(find_too_large(list, {root, ".", TreeKind::git}, list.bytes));
  const auto error = find_too_large(list, {root, ".", TreeKind::git}, 1u << 20u);
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("is larger than environment.snapshot_limit, 1MiB"));
  EXPECT_THAT(error->hint,
              HasSubstr("list in .gitignore what is not code; the largest parts: data (3.0 MiB), a.py"));
}

}  // namespace
}  // namespace ddp::cli
