#include "trainer/distributed/group/cuda_plugin.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

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

[[noreturn]] void refuse_build(const std::string& what) {
  throw std::runtime_error(std::string(kPlugin) + " belongs to another build than this program: " + what +
                           "; build and install both together");
}

const CudaPlugin& load_plugin() {
  void* const symbol = dlsym(open_plugin(), kGetCudaPlugin);
  if (symbol == nullptr) refuse_build(dlerror());
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
  if (plugin.version != kCudaPluginVersion)
    refuse_build("its table has version " + std::to_string(plugin.version) + ", not " +
                 std::to_string(kCudaPluginVersion));
  if (plugin.size != sizeof(CudaPlugin))
    refuse_build("its table has " + std::to_string(plugin.size) + " bytes, not " +
                 std::to_string(sizeof(CudaPlugin)));
}

}  // namespace ddp::trainer
