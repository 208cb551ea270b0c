#include "cli/doctor/amount_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ddp::cli {

std::string render_bytes(std::uint64_t bytes) {
  constexpr std::uint64_t kGib = std::uint64_t{1} << 30;
  if (bytes < kGib) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(kGib));
}

std::string render_seconds(double seconds) {
  const double amount = std::abs(seconds);
  if (amount < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (amount < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.1f} s", seconds);
}

std::string render_disk(const DiskSpace& disk) {
  auto text = fmt::format("{}, {}", disk.file_system.empty() ? "unknown file system" : disk.file_system,
                          render_bytes(disk.free_bytes));
  if (disk.total_inodes > 0) text += fmt::format(" and {} files", disk.free_inodes);
  return text + " free";
}

}  // namespace ddp::cli
