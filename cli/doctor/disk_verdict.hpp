#pragma once

#include "cli/doctor/finding.hpp"
#include "jobenv/probe/disk_space.hpp"

namespace ddp::cli {

/// Whether there is room for a run: an error when the disk is full, a warning when it is about to be. Pure.
[[nodiscard]] Finding judge_disk(const DiskSpace& disk);

}  // namespace ddp::cli
