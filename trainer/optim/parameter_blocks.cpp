#include "trainer/optim/parameter_blocks.hpp"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <unordered_set>

#include "ddp/jobenv/own_progress.hpp"
#include "ddp/trainer/invalid_configuration.hpp"

namespace ddp::trainer {
namespace {

// No less than LibTorch's allocators give, on the CPU and on CUDA: kernels may round by the alignment.
constexpr std::int64_t kAlignment = 512;

std::int64_t room_for(const torch::Tensor& parameter) {
  return (static_cast<std::int64_t>(parameter.nbytes()) + kAlignment - 1) / kAlignment * kAlignment;
}

/// Those of `owner` that need a gradient, each once.
std::vector<torch::Tensor> owned_by(int owner, const NamedTensors& parameters,
                                    const std::vector<int>& owners) {
  std::vector<torch::Tensor> owned;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [name, parameter] = parameters[i];
    if (owners[i] != owner || !parameter.requires_grad()) continue;
    if (!parameter.is_non_overlapping_and_dense())
      throw InvalidConfiguration("train.ddp.shard_optimizer: the parameter '" + name +
                                 "' is not contiguous in memory");
    if (seen.insert(parameter.unsafeGetTensorImpl()).second) owned.push_back(parameter);
  }
  return owned;
}

torch::Tensor move_into_block(std::vector<torch::Tensor>& parameters) {
  if (parameters.empty()) return {};
  const at::NoGradGuard no_grad;
  std::int64_t size = 0;
  for (const auto& parameter : parameters) size += room_for(parameter);
  // Zeros, since the gaps travel too.
  torch::Tensor block = at::zeros({size}, parameters.front().options().dtype(at::kByte).requires_grad(false));
  std::int64_t begin = 0;
  for (auto& parameter : parameters) {
    torch::Tensor place = block.narrow(0, begin, static_cast<std::int64_t>(parameter.nbytes()))
                              .view(parameter.scalar_type())
                              .as_strided(parameter.sizes(), parameter.strides());
    place.copy_(parameter);
    parameter.set_data(place);
    begin += room_for(parameter);
  }
  return block;
}

}  // namespace

ParameterBlocks::ParameterBlocks(const NamedTensors& parameters, const std::vector<int>& owners,
                                 ProcessGroup& group)
    : group_(group) {
  for (int owner = 0; owner < group.size(); ++owner) {
    auto owned = owned_by(owner, parameters, owners);
    blocks_.push_back(move_into_block(owned));
  }
}

void ParameterBlocks::share() {
  std::vector<c10::intrusive_ptr<c10d::Work>> travelling;
  for (int owner = 0; owner < group_.size(); ++owner) {
    std::vector<torch::Tensor> block = {blocks_[static_cast<std::size_t>(owner)]};
    if (!block.front().defined()) continue;
    c10d::BroadcastOptions from_owner;
    from_owner.rootRank = owner;
    travelling.push_back(group_.c10d_group()->broadcast(block, from_owner));
  }
  const PeerWait wait;
  for (const auto& work : travelling) work->wait();
}

}  // namespace ddp::trainer
