#include "jobenv/probe/disk_space.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

constexpr std::string_view kMounts =
    "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "40 21 0:35 / /scratch rw master:3 propagate_from:2 - lustre mds@tcp:/scratch rw\n"
    "41 21 0:36 / /home rw - nfs4 server:/home rw,vers=4.2\n";

TEST(FileSystem, OfTheDevice) {
  EXPECT_EQ(parse_file_system(kMounts, 8, 1), "ext4");
  EXPECT_EQ(parse_file_system(kMounts, 0, 35), "lustre");
  EXPECT_EQ(parse_file_system(kMounts, 0, 36), "nfs4");
}

TEST(FileSystem, UnknownWhereNothingIsMounted) {
  EXPECT_EQ(parse_file_system(kMounts, 8, 2), "");
  EXPECT_EQ(parse_file_system("", 8, 1), "");
  EXPECT_EQ(parse_file_system("21 1 8:1 / / rw", 8, 1), "");
}

TEST(DiskSpace, OfAFolder) {
  const TemporaryFolder folder;
  const auto disk = measure_disk(folder.path());
  ASSERT_TRUE(disk);
  EXPECT_GT(disk->free_bytes, 0u);
}

TEST(DiskSpace, OfAFolderThatIsNotThere) {
  const auto disk = measure_disk("/no/such/folder");
  ASSERT_FALSE(disk);
  EXPECT_NE(disk.error().message.find("/no/such/folder"), std::string::npos);
}

}  // namespace
}  // namespace ddp
