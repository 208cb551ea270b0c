#include "trainer/sharding/fully_sharded_module.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/engine.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/shm/shared_memory_gloo.hpp"

namespace ddp::trainer {

/// An identity on the input of a block. Its backward is the first thing that happens after the block's, when
/// the block has all of its gradients.
class FullyShardedModule::AfterBackward : public torch::autograd::Function<AfterBackward> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& input,
                               FullyShardedModule* module, BlockState* block) {
    context->saved_data["module"] = reinterpret_cast<std::int64_t>(module);
    context->saved_data["block"] = reinterpret_cast<std::int64_t>(block);
    return input;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    auto* const module = reinterpret_cast<FullyShardedModule*>(context->saved_data["module"].toInt());
    module->after_backward(*reinterpret_cast<BlockState*>(context->saved_data["block"].toInt()));
    return {gradients[0], torch::Tensor(), torch::Tensor()};
  }
};

namespace {

at::Device device_of(const torch::nn::Module& module) {
  const auto parameters = module.parameters();
  return parameters.empty() ? at::Device(at::kCPU) : parameters.front().device();
}

/// Ranks may share memory on CUDA, too; but it is for tensors on the CPU.
BlockContext::Collectives find_collectives(ProcessGroup& shards, at::Device device) {
  using Collectives = BlockContext::Collectives;
  const bool at_once = device.is_cpu() && (shards.size() == 1 || find_shared_memory(*shards.c10d_group()));
  return at_once ? Collectives::done_at_once : Collectives::done_beside;
}

BlockContext make_context(const ShardGroups& groups, const FullyShardedOptions& options, at::Device device) {
  std::optional<SideStreams> streams;
  if (!device.is_cpu()) streams.emplace(device);
  return {groups, find_collectives(groups.shards, device), options, device, streams, KeptMemory(device)};
}

}  // namespace

FullyShardedModule::FullyShardedModule(std::shared_ptr<torch::nn::Module> module, Forward forward,
                                       const ShardGroups& groups, const FullyShardedOptions& options)
    : module_(std::move(module)),
      forward_(std::move(forward)),
      context_(make_context(groups, options, device_of(*module_))) {
  for (const BlockParameters& found : find_block_parameters(*module_)) {
    BlockState& state = blocks_.emplace_back(found, context_);
    if (found.block == nullptr) continue;
    state_of_[found.block] = &state;
    found.block->run_by(this);
  }
  collect_rows();
}

FullyShardedModule::~FullyShardedModule() {
  for (const auto& [block, state] : state_of_) block->run_by(nullptr);
  // The memory of blocks is about to be free for whatever comes next.
  if (context_.streams) context_.streams->join();
}

void FullyShardedModule::collect_rows() {
  for (const BlockState& block : blocks_) {
    for (const ShardedParameter& parameter : block.sharded.parameters())
      rows_of_.emplace(parameter.parameter.unsafeGetTensorImpl(), parameter.rows);
  }
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& parameter : module_->named_parameters()) {
    if (seen.insert(parameter.value().unsafeGetTensorImpl()).second)
      rows_.emplace_back(parameter.key(), rows_of(parameter.value()));
  }
}

void FullyShardedModule::require_own_parameters() const {
  for (const BlockState& block : blocks_) {
    const auto& parameters = block.sharded.parameters();
    const auto replaced = std::ranges::find_if(parameters, &ShardedParameter::is_replaced);
    if (replaced == parameters.end()) continue;
    for (const auto& parameter : module_->named_parameters()) {
      if (parameter.value().is_same(replaced->parameter))
        throw InvalidConfiguration("the parameter '" + parameter.key() +
                                   "' was replaced after the model was sharded, so it would not be trained; "
                                   "load before that");
    }
  }
}

/// Where parameters are not converted, nothing is: within autocast, say.
torch::Tensor FullyShardedModule::to_param_dtype(const torch::Tensor& input) const {
  const bool converts = context_.options.param_dtype != at::kFloat && input.is_floating_point();
  return converts ? input.to(context_.options.param_dtype) : input;
}

torch::Tensor FullyShardedModule::forward(const torch::Tensor& input) {
  require_own_parameters();
  await_rows();
  BlockState& whole = blocks_.back();
  before_forward(whole);
  torch::Tensor output = forward_(to_param_dtype(input));
  if (torch::GradMode::is_enabled())
    watch_backward(whole, output);
  else
    whole.sharded.reshard();
  finish_forward();
  if (context_.options.param_dtype != at::kFloat && output.is_floating_point())
    output = output.to(at::kFloat);
  return output;
}

/// Gathers come after the optimizer's step, and not after what is queued later, the blocks.
void FullyShardedModule::await_rows() {
  if (!context_.streams) return;
  const c10::Stream current = current_stream(context_.device);
  queue_after(context_.streams->copy_in, current);
  queue_after(context_.streams->gather, current);
}

/// The optimizer's step comes after the reductions.
void FullyShardedModule::await_gradients() {
  if (!context_.streams) return;
  const c10::Stream current = current_stream(context_.device);
  queue_after(current, context_.streams->reduce);
  queue_after(current, context_.streams->all_reduce);
}

torch::Tensor FullyShardedModule::run(Block& block, const torch::Tensor& input) {
  const auto found = state_of_.find(&block);
  const torch::Tensor converted = to_param_dtype(input);
  if (found == state_of_.end()) return forward_of(block, converted);
  BlockState& state = *found->second;
  started_.push_back(&state);
  before_forward(state);
  const bool trains = torch::GradMode::is_enabled();
  torch::Tensor output = forward_of(
      block, trains && converted.requires_grad() ? AfterBackward::apply(converted, this, &state) : converted);
  if (!trains || context_.options.after_forward == AfterForward::free) state.sharded.reshard();
  if (!trains) return output;
  state.forwards.push_back(done_.size());
  done_.push_back(&state);
  watch_backward(state, output);
  return output;
}

void FullyShardedModule::before_forward(BlockState& block) {
  block.sharded.unshard();
  if (!prefetches()) return;
  const std::size_t next = started_.size();
  if (next < started_before_.size()) started_before_[next]->sharded.begin_unshard();
}

void FullyShardedModule::watch_backward(BlockState& block, const torch::Tensor& output) {
  if (!output.requires_grad()) return;
  output.register_hook([this, &block](const torch::Tensor&) { before_backward(block); });
}

void FullyShardedModule::before_backward(BlockState& block) {
  if (!std::exchange(finish_queued_, true))
    torch::autograd::Engine::get_default_engine().queue_callback([this] { finish_backward(); });
  if (std::exchange(block.pass, Pass::backward) == Pass::backward) return;
  block.sharded.unshard();
  if (!prefetches()) return;
  std::size_t place = done_.size();
  if (!block.forwards.empty()) {
    place = block.forwards.back();
    block.forwards.pop_back();
  }
  if (place > 0) done_[place - 1]->sharded.begin_unshard();
}

void FullyShardedModule::after_backward(BlockState& block) {
  block.pass = Pass::after_backward;
  if (sync_ == GradientSync::later) {
    block.sharded.keep_gradients();
    block.sharded.reshard();
    return;
  }
  // One reduction at a time is under way: the memory of two is not needed.
  if (reducing_ != nullptr) reducing_->sharded.finish_reduce();
  block.sharded.begin_reduce();
  reducing_ = &block;
  if (context_.collectives == BlockContext::Collectives::done_at_once) block.sharded.finish_reduce();
}

/// What is done at once cannot be done while a block computes.
bool FullyShardedModule::prefetches() const {
  return context_.options.prefetch == Prefetch::yes &&
         context_.collectives == BlockContext::Collectives::done_beside;
}

/// In an evaluation nobody calls finish_backward().
void FullyShardedModule::finish_forward() {
  started_before_ = std::exchange(started_, {});
  if (torch::GradMode::is_enabled()) return;
  for (BlockState& block : blocks_) block.sharded.reshard();
}

void FullyShardedModule::finish_backward() {
  for (BlockState& block : blocks_) {
    if (block.pass != Pass::after_backward) after_backward(block);
  }
  await_gradients();
  for (BlockState& block : blocks_) {
    block.sharded.finish_reduce();
    block.sharded.reshard();  // what was prefetched and not used
    block.pass = Pass::none;
    block.forwards.clear();
  }
  reducing_ = nullptr;
  done_.clear();
  finish_queued_ = false;
}

}  // namespace ddp::trainer
