#include "cli/store/disk_usage.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

void write_bytes(const fs::path& file, std::size_t count) {
  std::ofstream(file) << std::string(count, 'x');
}

TEST(DiskUsage, CountsAFileWithTwoNamesOnce) {
  TemporaryFolder folder;
  write_bytes(folder / "a", 1 << 20);
  const auto one = disk_usage(folder.path());
  fs::create_hard_link(folder / "a", folder / "b");
  EXPECT_GE(one, 1u << 20);
  EXPECT_LT(disk_usage(folder.path()), one + (1u << 19));
}

TEST(DiskUsage, DoesNotFollowLinks) {
  TemporaryFolder folder;
  TemporaryFolder outside;
  write_bytes(outside / "a", 1 << 20);
  fs::create_directory_symlink(outside.path(), folder / "link");
  fs::create_symlink(outside / "a", folder / "file");
  EXPECT_LT(disk_usage(folder.path()), 1u << 19);
}

TEST(DiskUsage, OfAFolderThatDoesNotExistIsNothing) {
  EXPECT_EQ(disk_usage("/nonexistent/folder"), 0u);
}

}  // namespace
}  // namespace ddp::cli
