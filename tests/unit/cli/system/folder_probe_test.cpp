#include "cli/system/folder_probe.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

TEST(FolderProbe, LeavesNothingBehind) {
  const TemporaryFolder folder;
  const auto probe = probe_folder(folder.path());
  EXPECT_EQ(probe.problem, "");
  EXPECT_EQ(probe.existing, folder.path());
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(FolderProbe, LooksWhereTheFolderWouldBeMade) {
  const TemporaryFolder folder;
  const auto probe = probe_folder(folder / "not" / "there");
  EXPECT_EQ(probe.problem, "");
  EXPECT_EQ(probe.existing, folder.path());
}

TEST(FolderProbe, SaysWhyNothingCanBeMade) {
  EXPECT_NE(probe_folder("/proc/runs").problem, "");
  EXPECT_EQ(probe_folder("/proc/self/status/runs").problem, "Not a directory");
}

TEST(FolderProbe, KnowsAFileSystemInMemory) {
  const auto probe = probe_folder("/dev/shm");
  if (probe.file_system != "tmpfs") GTEST_SKIP() << "/dev/shm is no tmpfs here";
  EXPECT_EQ(probe.sharing, Sharing::this_host);
}

}  // namespace
}  // namespace ddp::cli
