#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ddp {

/// The NVIDIA GPUs of a machine, as its kernel driver lists them: also those that are not for this job.
struct GpuInventory {
  std::string driver = {};              ///< version; empty: no driver is loaded
  std::vector<std::string> uuids = {};  ///< sorted by PCI address

  bool operator==(const GpuInventory&) const = default;
};

/// `driver_folder` is /proc/driver/nvidia. No driver is no error.
[[nodiscard]] GpuInventory read_gpus(const std::filesystem::path& driver_folder);

/// How many NVIDIA GPUs can be opened here: files nvidia0, nvidia1, … in `devices`, which is /dev.
[[nodiscard]] int count_gpus(const std::filesystem::path& devices);

}  // namespace ddp
