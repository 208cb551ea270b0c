#include "trainer/sharding/fully_sharded_module.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/engine.h>

#include <unordered_set>
#include <utility>

#include "trainer/shm/shared_memory_gloo.hpp"

namespace ddp::trainer {

/// An identity on the input of a block. Its backward is the first thing that happens after the block's, when
/// the block has all of its gradients.
class FullyShardedModule::BeginBackwardOfInput : public torch::autograd::Function<BeginBackwardOfInput> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& input,
                               FullyShardedModule* module, Group* group) {
    context->saved_data["module"] = reinterpret_cast<std::int64_t>(module);
    context->saved_data["group"] = reinterpret_cast<std::int64_t>(group);
    return input;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    auto* const module = reinterpret_cast<FullyShardedModule*>(context->saved_data["module"].toInt());
    module->after_backward(*reinterpret_cast<Group*>(context->saved_data["group"].toInt()));
    return {gradients[0], torch::Tensor(), torch::Tensor()};
  }
};

namespace {

BlockContext::Collectives find_collectives(ProcessGroup& shards) {
  using Collectives = BlockContext::Collectives;
  const bool at_once = shards.size() == 1 || find_shared_memory(*shards.c10d_group());
  return at_once ? Collectives::done_at_once : Collectives::done_beside;
}

}  // namespace

FullyShardedModule::FullyShardedModule(std::shared_ptr<torch::nn::Module> module, Forward forward,
                                       const ShardGroups& groups, const FullyShardedOptions& options)
    : module_(std::move(module)),
      forward_(std::move(forward)),
      context_{groups, find_collectives(groups.shards), options} {
  for (const BlockParameters& block : find_block_parameters(*module_)) {
    Group& group = groups_.emplace_back(block, context_);
    if (block.block == nullptr) continue;
    group_of_[block.block] = &group;
    blocks_.push_back(block.block);
    block.block->run_by(this);
  }
  collect_rows();
}

FullyShardedModule::~FullyShardedModule() {
  for (Block* block : blocks_) block->run_by(nullptr);
}

void FullyShardedModule::collect_rows() {
  for (const Group& group : groups_) {
    for (const ShardedParameter& sharded : group.parameters.parameters())
      rows_of_.emplace(sharded.parameter.unsafeGetTensorImpl(), sharded.rows);
  }
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& parameter : module_->named_parameters()) {
    if (seen.insert(parameter.value().unsafeGetTensorImpl()).second)
      rows_.emplace_back(parameter.key(), rows_of(parameter.value()));
  }
}

torch::Tensor FullyShardedModule::to_param_dtype(const torch::Tensor& input) const {
  return input.is_floating_point() ? input.to(context_.options.param_dtype) : input;
}

torch::Tensor FullyShardedModule::forward(const torch::Tensor& input) {
  Group& whole = groups_.back();
  before_forward(whole);
  const torch::Tensor output = forward_(to_param_dtype(input));
  if (torch::GradMode::is_enabled())
    watch_backward(whole, output);
  else
    whole.parameters.reshard();
  finish_forward();
  return output.is_floating_point() ? output.to(at::kFloat) : output;
}

torch::Tensor FullyShardedModule::run(Block& block, const torch::Tensor& input) {
  const auto found = group_of_.find(&block);
  const torch::Tensor converted = to_param_dtype(input);
  if (found == group_of_.end()) return block.forward(converted);
  Group& group = *found->second;
  group.forwards.push_back(forward_order_.size());
  forward_order_.push_back(&group);
  before_forward(group);
  const bool trains = torch::GradMode::is_enabled();
  const torch::Tensor output = block.forward(
      trains && converted.requires_grad() ? BeginBackwardOfInput::apply(converted, this, &group) : converted);
  if (!trains || context_.options.after_forward == AfterForward::free) group.parameters.reshard();
  if (trains) watch_backward(group, output);
  return output;
}

void FullyShardedModule::before_forward(Group& group) {
  group.parameters.unshard();
  if (!prefetches()) return;
  const std::size_t next = forward_order_.size();
  if (next < next_order_.size()) next_order_[next]->parameters.begin_unshard();
}

void FullyShardedModule::watch_backward(Group& group, const torch::Tensor& output) {
  if (!output.requires_grad()) return;
  output.register_hook([this, &group](const torch::Tensor&) { before_backward(group); });
}

void FullyShardedModule::before_backward(Group& group) {
  if (!std::exchange(finish_queued_, true))
    torch::autograd::Engine::get_default_engine().queue_callback([this] { finish_backward(); });
  if (std::exchange(group.pass, Pass::backward) == Pass::backward) return;
  group.parameters.unshard();
  if (!prefetches()) return;
  std::size_t place = forward_order_.size();
  if (!group.forwards.empty()) {
    place = group.forwards.back();
    group.forwards.pop_back();
  }
  if (place > 0) forward_order_[place - 1]->parameters.begin_unshard();
}

void FullyShardedModule::after_backward(Group& group) {
  group.pass = Pass::after_backward;
  if (sync_ == GradientSync::later) {
    group.parameters.keep_gradients();
    group.parameters.reshard();
    return;
  }
  // One reduction at a time is under way: the memory of two is not needed.
  if (reducing_ != nullptr) reducing_->parameters.finish_reduce();
  group.parameters.begin_reduce();
  reducing_ = &group;
  if (context_.collectives == BlockContext::Collectives::done_at_once) group.parameters.finish_reduce();
}

/// What is done at once cannot be done while a block computes.
bool FullyShardedModule::prefetches() const {
  return context_.options.prefetch == Prefetch::yes &&
         context_.collectives == BlockContext::Collectives::done_beside;
}

/// In an evaluation nobody calls finish_backward().
void FullyShardedModule::finish_forward() {
  next_order_ = forward_order_;
  if (torch::GradMode::is_enabled()) return;
  for (Group& group : groups_) {
    group.parameters.reshard();
    group.forwards.clear();
  }
  forward_order_.clear();
}

void FullyShardedModule::finish_backward() {
  for (Group& group : groups_) {
    if (group.pass != Pass::after_backward) after_backward(group);
  }
  for (Group& group : groups_) {
    group.parameters.finish_reduce();
    group.parameters.reshard();  // what was prefetched and not used
    group.pass = Pass::none;
    group.forwards.clear();
  }
  reducing_ = nullptr;
  forward_order_.clear();
  finish_queued_ = false;
}

}  // namespace ddp::trainer
