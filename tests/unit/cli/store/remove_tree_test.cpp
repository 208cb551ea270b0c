#include "cli/store/remove_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

TEST(RemoveTree, RemovesFoldersFilesAndLinksAndNothingBehindThem) {
  TemporaryFolder folder;
  TemporaryFolder outside;
  std::ofstream(outside / "precious") << "text";
  fs::create_directories(folder / "run/a/b");
  std::ofstream(folder / "run/a/b/file") << "text";
  fs::create_directory_symlink(outside.path(), folder / "run/a/link");
  fs::create_symlink("/nonexistent", folder / "run/broken");
  ASSERT_TRUE(remove_tree(folder / "run"));
  EXPECT_FALSE(fs::exists(folder / "run"));
  EXPECT_TRUE(fs::exists(outside / "precious"));
}

TEST(RemoveTree, OfALinkRemovesTheLink) {
  TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "link");
  ASSERT_TRUE(remove_tree(folder / "link"));
  EXPECT_TRUE(fs::exists(folder / "real"));
  EXPECT_FALSE(fs::is_symlink(folder / "link"));
}

TEST(RemoveTree, CanBeRepeated) {
  EXPECT_TRUE(remove_tree("/nonexistent/folder"));
}

TEST(RemoveTree, NamesWhatStaysAndRemovesTheRest) {
  if (geteuid() == 0) GTEST_SKIP() << "root may remove from every folder";
  TemporaryFolder folder;
  fs::create_directories(folder / "run/locked");
  std::ofstream(folder / "run/locked/file") << "text";
  std::ofstream(folder / "run/other") << "text";
  fs::permissions(folder / "run/locked", fs::perms::owner_read | fs::perms::owner_exec);
  const auto removed = remove_tree(folder / "run");
  fs::permissions(folder / "run/locked", fs::perms::owner_all);
  ASSERT_FALSE(removed);
  EXPECT_THAT(removed.error().message, testing::HasSubstr("run/locked/file"));
  EXPECT_FALSE(fs::exists(folder / "run/other"));
}

}  // namespace
}  // namespace ddp::cli
