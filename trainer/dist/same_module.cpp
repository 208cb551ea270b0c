#include "trainer/dist/same_module.hpp"

#include <torch/nn/module.h>

#include <sstream>
#include <stdexcept>

#include "trainer/dist/rank_agreement.hpp"

namespace ddp::trainer {
namespace {

std::string describe(const char* kind, const std::string& name, const torch::Tensor& tensor) {
  std::ostringstream text;
  text << kind << " '" << name << "': " << tensor.scalar_type() << ' ' << tensor.sizes() << ", strides "
       << tensor.strides() << (tensor.requires_grad() ? ", with gradient" : ", without gradient");
  return text.str();
}

std::string_view word_for(CommHook hook) {
  switch (hook) {
    case CommHook::fp16:
      return "fp16";
    case CommHook::bf16:
      return "bf16";
    case CommHook::none:
      break;
  }
  return "none";
}

std::vector<std::string> describe(const torch::nn::Module& module, const std::string& options) {
  std::vector<std::string> items = {options};
  for (const auto& item : module.named_parameters())
    items.push_back(describe("the parameter", item.key(), item.value()));
  for (const auto& item : module.named_buffers())
    items.push_back(describe("the buffer", item.key(), item.value()));
  return items;
}

}  // namespace

std::string describe(const DistributedDataParallelOptions& options) {
  std::ostringstream text;
  text << std::boolalpha << "the options bucket_cap_mib " << options.bucket_cap_mib
       << ", find_unused_parameters " << options.find_unused_parameters << ", static_graph "
       << options.static_graph << ", gradient_as_bucket_view " << options.gradient_as_bucket_view
       << ", broadcast_buffers " << options.broadcast_buffers << ", comm_hook "
       << word_for(options.comm_hook);
  return text.str();
}

void require_same_module(const torch::nn::Module& module, std::string_view who, const std::string& options,
                         ProcessGroup& group) {
  const auto found = compare_with_rank_0(describe(module, options), group);
  if (found) throw std::invalid_argument(found->render(std::string(who) + ": the module"));
}

}  // namespace ddp::trainer
