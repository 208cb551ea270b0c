#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddp::agent {

/// What a process does on the GPUs of its host.
struct GpuUse {
  double percent = 0;              ///< of the time in which they were busy; of several GPUs the mean
  std::uint64_t memory_bytes = 0;  ///< that it holds

  bool operator==(const GpuUse&) const = default;
};

/// Asks NVIDIA's management library, NVML, which is loaded when this is made; without it, and without a GPU,
/// nothing is seen. One thread.
class GpuMonitor {
 public:
  explicit GpuMonitor(const std::string& library = "libnvidia-ml.so.1");
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  /// What use_of() tells is of the last look.
  void look();
  /// Of a process and its living descendants; nullopt: none of them is on a GPU, as far as NVML sees.
  [[nodiscard]] std::optional<GpuUse> use_of(pid_t pid) const;

 private:
  class Nvml;
  struct Gpu {
    double percent = 0;
    std::map<pid_t, std::uint64_t> memory_bytes;  ///< by process
  };

  std::unique_ptr<Nvml> nvml_;
  std::vector<Gpu> gpus_;
};

}  // namespace ddp::agent
