#include "cli/doctor/disk_verdict.hpp"

#include "cli/doctor/amount_text.hpp"

namespace ddp::cli {
namespace {

constexpr std::uint64_t kFullBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kLowBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kFullInodes = 100;
constexpr std::uint64_t kLowInodes = 10'000;

bool is_below(const DiskSpace& disk, std::uint64_t bytes, std::uint64_t inodes) {
  return disk.free_bytes < bytes || (disk.total_inodes > 0 && disk.free_inodes < inodes);
}

}  // namespace

Finding judge_disk(const DiskSpace& disk) {
  Finding finding{.found = render_disk(disk)};
  if (is_below(disk, kFullBytes, kFullInodes)) {
    finding.verdict = Verdict::error;
    finding.advice = "the disk is full: remove what is not needed, or choose another folder";
  } else if (is_below(disk, kLowBytes, kLowInodes)) {
    finding.verdict = Verdict::warning;
    finding.advice = "logs and checkpoints may not fit: make room, or choose another folder";
  }
  return finding;
}

}  // namespace ddp::cli
