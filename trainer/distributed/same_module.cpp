#include "trainer/distributed/same_module.hpp"

#include <torch/nn/module.h>

#include <sstream>
#include <stdexcept>

#include "trainer/distributed/agreement/rank_agreement.hpp"

namespace ddp::trainer {
namespace {

std::string describe(const char* kind, const std::string& name, const torch::Tensor& tensor) {
  std::ostringstream text;
  text << kind << " '" << name << "': " << tensor.scalar_type() << ' ' << tensor.sizes() << ", strides "
       << tensor.strides() << (tensor.requires_grad() ? ", with gradient" : ", without gradient");
  return text.str();
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

void require_same_module(const torch::nn::Module& module, std::string_view who, const std::string& options,
                         ProcessGroup& group) {
  const auto found = compare_with_rank_0(describe(module, options), group);
  if (found) throw std::invalid_argument(found->render(std::string(who) + ": the module"));
}

}  // namespace ddp::trainer
