#include "cli/source/tree_copy.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "cli/source/link_target.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

class TreeCopyTest : public testing::Test {
 protected:
  TreeCopyTest() { fs::create_directories(root_ / "sub"); }

  Expected<CopiedTree> copy(std::vector<TreeEntry> entries) {
    return copy_tree({.entries = std::move(entries), .bytes = 0}, root_, copy_);
  }

  TemporaryFolder folder_;
  fs::path root_ = folder_ / "root";
  fs::path copy_ = folder_ / "copy";
};

TEST_F(TreeCopyTest, KeepsContentsModesAndTimes) {
  const std::string text(300'000, 'x');
  std::ofstream(root_ / "sub/run.sh") << text;
  fs::permissions(root_ / "sub/run.sh", fs::perms(0750));
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(30);
  fs::last_write_time(root_ / "sub/run.sh", old);
  std::ofstream(root_ / "empty").flush();
  const auto copied = copy({{"empty", EntryKind::file, 0}, {"sub/run.sh", EntryKind::file, 0}});
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->files, 2u);
  EXPECT_EQ(copied->bytes, text.size());
  EXPECT_EQ(load_file(copy_ / "sub/run.sh").value(), text);
  EXPECT_EQ(fs::status(copy_ / "sub/run.sh").permissions(), fs::perms(0750));
  EXPECT_EQ(fs::last_write_time(copy_ / "sub/run.sh"), fs::last_write_time(root_ / "sub/run.sh"));
  std::ofstream(root_ / "sub/run.sh") << "other";
  EXPECT_EQ(load_file(copy_ / "sub/run.sh").value(), text) << "it is no link to the original";
}

TEST_F(TreeCopyTest, KeepsLinksAsLinks) {
  fs::create_symlink("../a", root_ / "sub/in");
  fs::create_symlink("../../data", root_ / "sub/out");
  fs::create_symlink("/data", root_ / "absolute");
  ASSERT_TRUE(copy(
      {{"absolute", EntryKind::link, 0}, {"sub/in", EntryKind::link, 0}, {"sub/out", EntryKind::link, 0}}));
  EXPECT_EQ(fs::read_symlink(copy_ / "sub/in"), "../a");
  EXPECT_EQ(fs::read_symlink(copy_ / "sub/out"), folder_ / "data") << "where the original leads";
  EXPECT_EQ(fs::read_symlink(copy_ / "absolute"), "/data");
}

TEST_F(TreeCopyTest, LeadsAnAbsoluteLinkIntoTheTreeToTheCopy) {
  std::ofstream(root_ / "sub/a") << "1";
  fs::create_symlink(folder_ / "root", folder_ / "home");
  fs::create_symlink(folder_ / "home/sub/a", root_ / "sub/by-home");
  fs::create_symlink(root_ / "sub", root_ / "to-folder");
  fs::create_symlink(root_ / "ignored", root_ / "to-ignored");
  ASSERT_TRUE(copy({{"sub/a", EntryKind::file, 0},
                    {"sub/by-home", EntryKind::link, 0},
                    {"to-folder", EntryKind::link, 0},
                    {"to-ignored", EntryKind::link, 0}}));
  EXPECT_EQ(fs::read_symlink(copy_ / "sub/by-home"), "a");
  EXPECT_EQ(fs::read_symlink(copy_ / "to-folder"), "sub");
  EXPECT_EQ(fs::read_symlink(copy_ / "to-ignored"), root_ / "ignored");
}

TEST_F(TreeCopyTest, FollowsNoLinkOfAFolder) {
  fs::create_directories(folder_ / "data");
  std::ofstream(folder_ / "data/a") << "1";
  fs::create_symlink(folder_ / "data", root_ / "data");
  const auto copied = copy({{"data", EntryKind::link, 0}, {"data/a", EntryKind::file, 0}});
  ASSERT_TRUE(copied);
  ASSERT_EQ(copied->gone.size(), 1u);
  EXPECT_EQ(copied->gone[0].name, "data/a");
}

TEST_F(TreeCopyTest, WritesNothingThroughALinkInTheCopy) {
  fs::create_directories(folder_ / "other");
  fs::create_directories(copy_);
  fs::create_symlink(folder_ / "other", copy_ / "sub");
  std::ofstream(root_ / "sub/a") << "1";
  EXPECT_FALSE(copy({{"sub/a", EntryKind::file, 0}}));
  EXPECT_TRUE(fs::is_empty(folder_ / "other"));
}

TEST_F(TreeCopyTest, PassesOverWhatIsGoneOrNoFileAnyLonger) {
  ASSERT_EQ(mkfifo((root_ / "pipe").c_str(), 0600), 0);
  const auto copied =
      copy({{"gone", EntryKind::file, 0}, {"gone.link", EntryKind::link, 0}, {"pipe", EntryKind::file, 0}});
  ASSERT_TRUE(copied);
  EXPECT_EQ(copied->files, 0u);
  EXPECT_EQ(copied->gone.size(), 3u);
}

TEST_F(TreeCopyTest, MakesEmptyFolders) {
  ASSERT_TRUE(copy({{"module", EntryKind::folder, 0}}));
  EXPECT_TRUE(fs::is_directory(copy_ / "module"));
}

TEST_F(TreeCopyTest, NamesWhatCannotBeCopied) {
  std::ofstream(root_ / "a") << "1";
  std::ofstream(copy_).flush();
  const auto copied = copy({{"a", EntryKind::file, 0}});
  ASSERT_FALSE(copied);
  EXPECT_NE(copied.error().message.find((root_ / "a").string()), std::string::npos);
  EXPECT_FALSE(copied.error().hint.empty());
}

TEST(TargetInCopy, LeadsOutByAnAbsolutePath) {
  EXPECT_EQ(target_in_copy({}, "/r", "a/b", "../c"), "../c");
  EXPECT_EQ(target_in_copy({}, "/r", "a/b", "../../c"), "/c");
  EXPECT_EQ(target_in_copy({}, "/r", "b", ".."), "/");
}

}  // namespace
}  // namespace ddp::cli
