#include "trainer/distributed/group/gloo.hpp"

#include "trainer/distributed/group/local_address.hpp"

namespace ddp::trainer {
namespace {

std::shared_ptr<gloo::transport::Device> make_device(const JobEnvironment& job) {
  using Gloo = c10d::ProcessGroupGloo;
  if (job.tasks_per_node.size() == 1) return Gloo::createDeviceForHostname("127.0.0.1");
  if (!job.interface.empty()) return Gloo::createDeviceForHostname(job.interface);
  // Not LibTorch's choice, the address of this host's name, which on many machines is a loopback one.
  const auto address = local_address_towards(job.master_address, job.master_port);
  return address ? Gloo::createDeviceForHostname(*address) : Gloo::createDefaultDevice();
}

}  // namespace

c10::intrusive_ptr<SharedMemoryGloo> make_gloo(const c10::intrusive_ptr<c10d::Store>& store,
                                               const JobEnvironment& job,
                                               const ProcessGroupOptions& options) {
  auto gloo = c10d::ProcessGroupGloo::Options::create(options.timeout);
  gloo->devices.push_back(make_device(job));
  return c10::make_intrusive<SharedMemoryGloo>(store, job.rank, job.world_size, std::move(gloo));
}

}  // namespace ddp::trainer
