#include "jobenv/agent/process/gpu_monitor.hpp"

#include <dlfcn.h>

#include <set>

#include "jobenv/agent/process/process_usage.hpp"

namespace ddp::agent {
namespace {

constexpr int kDeepestChild = 16;
constexpr unsigned kMostProcesses = 256;

void add_family(pid_t pid, int depth, std::set<pid_t>& family) {
  family.insert(pid);
  if (depth == kDeepestChild) return;
  for (const pid_t child : children_of(pid)) add_family(child, depth + 1, family);
}

}  // namespace

class GpuMonitor::Nvml {
 public:
  /// nullptr: the library is not there, or sees no GPU.
  static std::unique_ptr<Nvml> load(const std::string& file) {
    auto nvml = std::make_unique<Nvml>();
    nvml->library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (nvml->library_ == nullptr || !nvml->find_functions() || nvml->init_() != 0) return nullptr;
    nvml->find_devices();
    return nvml->devices_.empty() ? nullptr : std::move(nvml);
  }

  [[nodiscard]] std::vector<Gpu> look() const {
    std::vector<Gpu> gpus;
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

  [[nodiscard]] Gpu look_at(Device device) const {
    Gpu gpu;
    Utilization utilization{};
    if (utilization_(device, &utilization) == 0) gpu.percent = utilization.gpu;
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

GpuMonitor::GpuMonitor(const std::string& library) : nvml_(Nvml::load(library)) {}

GpuMonitor::~GpuMonitor() = default;

void GpuMonitor::look() {
  if (nvml_) gpus_ = nvml_->look();
}

std::optional<GpuUse> GpuMonitor::use_of(pid_t pid) const {
  if (gpus_.empty()) return std::nullopt;
  std::set<pid_t> family;
  add_family(pid, 0, family);
  GpuUse use;
  int used = 0;
  for (const Gpu& gpu : gpus_) {
    bool is_on_it = false;
    for (const auto& [process, memory] : gpu.memory_bytes) {
      if (!family.contains(process)) continue;
      is_on_it = true;
      use.memory_bytes += memory;
    }
    if (!is_on_it) continue;
    use.percent += gpu.percent;
    ++used;
  }
  if (used == 0) return std::nullopt;
  use.percent /= used;
  return use;
}

}  // namespace ddp::agent
