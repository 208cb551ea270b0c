#include "cli/doctor/disk_verdict.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

constexpr std::uint64_t kGib = std::uint64_t{1} << 30;

Verdict verdict_of(std::uint64_t bytes, std::uint64_t total_inodes, std::uint64_t free_inodes) {
  return judge_disk({"ext4", bytes, total_inodes, free_inodes}).verdict;
}

TEST(DiskVerdict, Room) {
  EXPECT_EQ(verdict_of(100 * kGib, 1'000'000, 900'000), Verdict::ok);
  EXPECT_EQ(judge_disk({"ext4", 100 * kGib, 1'000'000, 900'000}).found,
            "ext4, 100.0 GiB and 900000 files free");
}

TEST(DiskVerdict, LittleIsAWarningAndNoneAnError) {
  EXPECT_EQ(verdict_of(kGib / 2, 1'000'000, 900'000), Verdict::warning);
  EXPECT_EQ(verdict_of(100 * kGib, 1'000'000, 5'000), Verdict::warning);
  EXPECT_EQ(verdict_of(0, 1'000'000, 900'000), Verdict::error);
  EXPECT_EQ(verdict_of(100 * kGib, 1'000'000, 0), Verdict::error);
}

TEST(DiskVerdict, AFileSystemThatDoesNotCountFilesHasRoomForThem) {
  EXPECT_EQ(verdict_of(100 * kGib, 0, 0), Verdict::ok);
}

}  // namespace
}  // namespace ddp::cli
