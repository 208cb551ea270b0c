#include "trainer/distributed/group/cuda_plugin.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "trainer/distributed/group/plugin_build.hpp"

namespace ddp::trainer {
namespace {

constexpr const char* kPlugin = "libddp_cuda.so";

// CUDA does not survive being unloaded.
void* open_plugin() {
  void* const plugin = dlopen(kPlugin, RTLD_LAZY | RTLD_GLOBAL);
  if (plugin == nullptr) {
    throw std::runtime_error(std::string("CUDA is not available to this trainer: ") + dlerror() +
                             "; install LibTorch with CUDA and rebuild, or set train.device: cpu");
  }
  return plugin;
}

const CudaPlugin& load_plugin() {
  void* const symbol = dlsym(open_plugin(), kGetCudaPlugin);
  if (symbol == nullptr) refuse_build(kPlugin, dlerror());
  const CudaPlugin& plugin = *reinterpret_cast<GetCudaPlugin*>(symbol)();
  require_same_build(plugin);
  return plugin;
}

}  // namespace

const CudaPlugin& cuda_plugin() {
  static const CudaPlugin& plugin = load_plugin();
  return plugin;
}

void require_same_build(const CudaPlugin& plugin) {
  require_same_build(kPlugin, {plugin.version, plugin.size}, {kCudaPluginVersion, sizeof(CudaPlugin)});
}

}  // namespace ddp::trainer
