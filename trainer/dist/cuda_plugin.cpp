#include "trainer/dist/cuda_plugin.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace ddp::trainer {
namespace {

constexpr const char* kPlugin = "libddp_cuda.so";

// Loaded for good: CUDA does not survive being unloaded.
void* open_plugin() {
  static void* const plugin = dlopen(kPlugin, RTLD_LAZY | RTLD_GLOBAL);
  if (plugin == nullptr) {
    throw std::runtime_error(std::string("CUDA is not available to this trainer: ") + dlerror() +
                             "; install LibTorch's CUDA set and rebuild, or choose train.device: cpu");
  }
  return plugin;
}

}  // namespace

void load_cuda_plugin() {
  open_plugin();
}

void add_nccl(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device,
              std::chrono::milliseconds timeout) {
  void* const symbol = dlsym(open_plugin(), kAddNccl);
  if (symbol == nullptr)
    throw std::runtime_error(std::string(kPlugin) + " is of another version: " + dlerror());
  reinterpret_cast<AddNccl*>(symbol)(group, store, device, timeout);
}

}  // namespace ddp::trainer
