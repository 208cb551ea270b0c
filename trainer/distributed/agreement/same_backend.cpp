#include "trainer/distributed/agreement/same_backend.hpp"

#include <stdexcept>

#include "trainer/distributed/agreement/gather_texts.hpp"
#include "trainer/distributed/agreement/rank_agreement.hpp"

namespace ddp::trainer {
namespace {

constexpr const char* kSharesMemory = "shared memory";
constexpr const char* kSharesNone = "no shared memory";

std::string describe_backend(const ProcessGroupOptions& options) {
  if (options.backend == Backend::nccl) return "backend nccl on a CUDA device";
  return std::string("backend gloo on ") + (options.device ? "a CUDA device" : "the CPU");
}

const char* advice(const Disagreement& found) {
  if (found.item == kSharesMemory || found.item == kSharesNone)
    return "Set rendezvous.shared_memory to the same value for all ranks";
  return "With train.device: auto each rank looks for CUDA itself: set train.device, and use the same kind "
         "of device for all ranks";
}

}  // namespace

void require_same_backend(const ProcessGroupOptions& options, const std::string& host, ProcessGroup& group) {
  if (group.size() == 1) return;
  const auto found = compare_with_rank_0(
      {describe_backend(options), options.shared_memory ? kSharesMemory : kSharesNone}, group);
  if (!found) return;
  throw std::runtime_error("not all ranks use the same backend; " +
                           found->render_difference(gather_texts(host, group)) + ". " + advice(*found));
}

}  // namespace ddp::trainer
