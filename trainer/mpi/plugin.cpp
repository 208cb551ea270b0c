#include "trainer/mpi/plugin.hpp"

#include <type_traits>

#include "trainer/mpi/mpi_backend.hpp"
#include "trainer/mpi/mpi_calls.hpp"

namespace {

void load_mpi_library() {
  (void)ddp::trainer::mpi_calls();
}

c10::intrusive_ptr<c10d::Backend> connect_mpi_backend(const ddp::trainer::MpiGroup& group) {
  return c10::make_intrusive<ddp::trainer::MpiBackend>(group);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const ddp::trainer::MpiPlugin* ddp_mpi_plugin() {
  using namespace ddp::trainer;
  static constexpr MpiPlugin kPlugin{.version = kMpiPluginVersion,
                                     .size = sizeof(MpiPlugin),
                                     .load_library = load_mpi_library,
                                     .connect = connect_mpi_backend};
  return &kPlugin;
}

static_assert(std::is_same_v<decltype(ddp_mpi_plugin), ddp::trainer::GetMpiPlugin>);
