#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "trainer/cuda/parts.hpp"

namespace ddp::trainer {

// Connected at once, so that who does not come is missed here, and not by the first gradients.
void add_nccl(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device,
              std::chrono::milliseconds timeout) {
  const at::Device cuda(at::kCUDA, static_cast<c10::DeviceIndex>(device));
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  auto nccl = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, group.getRank(), group.getSize(), options);
  group.setBoundDeviceId(cuda);
  group.setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL, nccl);
  nccl->eagerConnectSingleDevice(cuda);
}

}  // namespace ddp::trainer
