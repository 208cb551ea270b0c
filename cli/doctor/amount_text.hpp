#pragma once

#include <cstdint>
#include <string>

#include "jobenv/probe/disk_space.hpp"

namespace ddp::cli {

/// "512 MiB", "35.2 GiB"
[[nodiscard]] std::string render_bytes(std::uint64_t bytes);
/// "120 us", "3.4 ms", "1.2 s"
[[nodiscard]] std::string render_seconds(double seconds);
/// "ext4, 35.2 GiB and 2100000 files free"
[[nodiscard]] std::string render_disk(const DiskSpace& disk);

}  // namespace ddp::cli
