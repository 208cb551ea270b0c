#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ddp::agent {

/// What NVIDIA's management library, NVML, tells of one GPU.
struct GpuLoad {
  double percent = 0;                           ///< of the time in which it was busy; -1: NVML does not tell
  std::map<pid_t, std::uint64_t> memory_bytes;  ///< that each process holds

  bool operator==(const GpuLoad&) const = default;
};

/// What processes do on the GPUs of their host.
struct GpuUse {
  double percent = 0;              ///< of several GPUs the mean
  std::uint64_t memory_bytes = 0;  ///< that they hold

  bool operator==(const GpuUse&) const = default;
};

/// Loads NVML and asks it; without it, and without a GPU, none. A GPU that is broken may keep this waiting.
[[nodiscard]] std::vector<GpuLoad> load_gpus(const std::string& library = "libnvidia-ml.so.1");

[[nodiscard]] nlohmann::json to_json(const std::vector<GpuLoad>& gpus);
/// None where it is anything else.
[[nodiscard]] std::vector<GpuLoad> parse_gpus(const nlohmann::json& json);

/// Of these processes together; nullopt: none of them is on a GPU, as far as NVML sees.
[[nodiscard]] std::optional<GpuUse> use_of(const std::vector<GpuLoad>& gpus,
                                           std::span<const pid_t> processes);

}  // namespace ddp::agent
