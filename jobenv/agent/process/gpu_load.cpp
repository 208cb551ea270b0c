#include "jobenv/agent/process/gpu_load.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <memory>

namespace ddp::agent {
namespace {

constexpr unsigned kMostProcesses = 256;

/// The library, and the functions of it that are called.
class Nvml {
 public:
  /// nullptr: the library is not there, or sees no GPU.
  static std::unique_ptr<Nvml> load(const std::string& file) {
    auto nvml = std::make_unique<Nvml>();
    nvml->library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (nvml->library_ == nullptr || !nvml->find_functions() || nvml->init_() != 0) return nullptr;
    nvml->find_devices();
    return nvml->devices_.empty() ? nullptr : std::move(nvml);
  }

  [[nodiscard]] std::vector<GpuLoad> look() const {
    std::vector<GpuLoad> gpus;
    for (Device device : devices_) gpus.push_back(look_at(device));
    return gpus;
  }

 private:
  // The types of nvml.h, of which hosts have the library and not the header.
  using Device = void*;
  struct Utilization {
    unsigned gpu;  ///< percent of the time since the driver's last sample
    unsigned memory;
  };
  struct Process {
    unsigned pid;
    unsigned long long used_memory;  ///< bytes; all ones: not available
    unsigned gpu_instance;
    unsigned compute_instance;
  };

  template <class Function>
  bool find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    return function != nullptr;
  }

  bool find_functions() {
    return find(init_, "nvmlInit_v2") && find(count_, "nvmlDeviceGetCount_v2") &&
           find(device_, "nvmlDeviceGetHandleByIndex_v2") &&
           find(utilization_, "nvmlDeviceGetUtilizationRates") &&
           find(processes_, "nvmlDeviceGetComputeRunningProcesses_v3");
  }

  void find_devices() {
    unsigned count = 0;
    if (count_(&count) != 0) return;
    for (unsigned i = 0; i < count; ++i) {
      if (Device device = nullptr; device_(i, &device) == 0) devices_.push_back(device);
    }
  }

  [[nodiscard]] GpuLoad look_at(Device device) const {
    GpuLoad gpu;
    Utilization utilization{};
    gpu.percent = utilization_(device, &utilization) == 0 ? utilization.gpu : -1;
    std::vector<Process> processes(kMostProcesses);
    unsigned count = kMostProcesses;
    if (processes_(device, &count, processes.data()) != 0) return gpu;
    for (unsigned i = 0; i < count; ++i) {
      const auto memory = processes[i].used_memory;
      gpu.memory_bytes[static_cast<pid_t>(processes[i].pid)] = memory == ~0ULL ? 0 : memory;
    }
    return gpu;
  }

  void* library_ = nullptr;  // stays loaded: drivers do not like to be unloaded
  int (*init_)() = nullptr;
  int (*count_)(unsigned*) = nullptr;
  int (*device_)(unsigned, Device*) = nullptr;
  int (*utilization_)(Device, Utilization*) = nullptr;
  int (*processes_)(Device, unsigned*, Process*) = nullptr;
  std::vector<Device> devices_;
};

}  // namespace

std::vector<GpuLoad> load_gpus(const std::string& library) {
  const auto nvml = Nvml::load(library);
  return nvml ? nvml->look() : std::vector<GpuLoad>{};
}

nlohmann::json to_json(const std::vector<GpuLoad>& gpus) {
  auto list = nlohmann::json::array();
  for (const GpuLoad& gpu : gpus) {
    auto processes = nlohmann::json::array();
    for (const auto& [pid, bytes] : gpu.memory_bytes) processes.push_back({pid, bytes});
    list.push_back({{"percent", gpu.percent}, {"processes", std::move(processes)}});
  }
  return list;
}

std::vector<GpuLoad> parse_gpus(const nlohmann::json& json) {
  std::vector<GpuLoad> gpus;
  try {
    for (const auto& each : json) {
      GpuLoad& gpu = gpus.emplace_back();
      gpu.percent = each.at("percent").get<double>();
      for (const auto& process : each.at("processes"))
        gpu.memory_bytes[process.at(0).get<pid_t>()] = process.at(1).get<std::uint64_t>();
    }
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return gpus;
}

std::optional<GpuUse> use_of(const std::vector<GpuLoad>& gpus, std::span<const pid_t> processes) {
  GpuUse use;
  int used = 0;
  for (const GpuLoad& gpu : gpus) {
    bool is_on_it = false;
    for (const auto& [process, memory] : gpu.memory_bytes) {
      if (std::ranges::count(processes, process) == 0) continue;
      is_on_it = true;
      use.memory_bytes += memory;
    }
    if (!is_on_it || gpu.percent < 0) continue;
    use.percent += gpu.percent;
    ++used;
  }
  if (used == 0) return std::nullopt;
  use.percent /= used;
  return use;
}

}  // namespace ddp::agent
