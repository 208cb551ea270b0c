#include "trainer/distributed/comm_hooks.hpp"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {
namespace {

at::ScalarType type_of(CommHook hook) {
  return hook == CommHook::fp16 ? at::kHalf : at::kBFloat16;
}

// LibTorch brings such a hook for float16 only. The order of the roundings is that of Python's
// _compress_hook.
class CompressHook final : public c10d::CommHookInterface {
 public:
  CompressHook(at::ScalarType type, c10::intrusive_ptr<c10d::ProcessGroup> group)
      : type_(type), group_(std::move(group)) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    const at::Tensor buffer = bucket.getBuffer();
    std::vector<at::Tensor> compressed = {buffer.to(type_).div_(group_->getSize())};
    return group_->allreduce(compressed)
        ->getFuture()
        ->then(
            [buffer](c10::ivalue::Future& reduced) {
              buffer.copy_(reduced.value().toTensorVector().at(0));
              return c10::IValue(buffer);
            },
            c10::TensorType::get());
  }

  at::Tensor parseHookResult(const c10::IValue& result) override { return result.toTensor(); }

 private:
  at::ScalarType type_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
};

}  // namespace

std::unique_ptr<c10d::CommHookInterface> make_comm_hook(CommHook hook,
                                                        const c10::intrusive_ptr<c10d::ProcessGroup>& group) {
  if (hook == CommHook::none) return nullptr;
  return std::make_unique<CompressHook>(type_of(hook), group);
}

void require_comm_hook(CommHook hook, const at::Device& device, ProcessGroup& group) {
  if (hook != CommHook::none) require_sum_of(type_of(hook), device, group);
}

void require_sum_of(at::ScalarType type, const at::Device& device, ProcessGroup& group) {
  torch::Tensor one = at::ones({1}, at::TensorOptions(type).device(device));
  try {
    group.all_reduce(one);
  } catch (const c10::DistError&) {
    throw;
  } catch (const c10::Error& refused) {
    if (device.is_cuda()) throw;  // NCCL adds up all types: it is something else
    throw InvalidConfiguration(std::string("the process group of this LibTorch cannot add up tensors of ") +
                               c10::toString(type) + " on " + device.str() +
                               ", which the communication hook needs: " + refused.what_without_backtrace());
  }
}

}  // namespace ddp::trainer
