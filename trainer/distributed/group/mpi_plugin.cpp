#include "trainer/distributed/group/mpi_plugin.hpp"

#include <dlfcn.h>

#include <string>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/distributed/group/plugin_build.hpp"

namespace ddp::trainer {
namespace {

constexpr const char* kMpiPlugin = "libddp_mpi.so";

// MPI does not survive being unloaded.
void* open_mpi_plugin() {
  void* const plugin = dlopen(kMpiPlugin, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr)
    throw InvalidConfiguration(
        std::string("rendezvous.backend is mpi, which this trainer cannot load: ") + dlerror() +
        "; install the trainer together with libddp_mpi.so (it is built where the header "
        "mpi_abi.h of an MPI is found), or use rendezvous.backend: gloo");
  return plugin;
}

const MpiPlugin& load_mpi_plugin() {
  void* const symbol = dlsym(open_mpi_plugin(), kGetMpiPlugin);
  if (symbol == nullptr) refuse_build(kMpiPlugin, dlerror());
  const MpiPlugin& plugin = *reinterpret_cast<GetMpiPlugin*>(symbol)();
  require_same_build(kMpiPlugin, {plugin.version, plugin.size}, {kMpiPluginVersion, sizeof(MpiPlugin)});
  plugin.load_library();
  return plugin;
}

}  // namespace

const MpiPlugin& mpi_plugin() {
  static const MpiPlugin& plugin = load_mpi_plugin();
  return plugin;
}

}  // namespace ddp::trainer
