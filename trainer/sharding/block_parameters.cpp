#include "trainer/sharding/block_parameters.hpp"

#include <unordered_set>
#include <utility>

namespace ddp::trainer {
namespace {

class ParameterFinder {
 public:
  void find_in(Block* block, torch::nn::Module& module, const std::string& name) {
    BlockParameters own{block, name, {}};
    collect(module, name, own);
    if (!own.parameters.empty() || block == nullptr) found_.push_back(std::move(own));
  }

  [[nodiscard]] std::vector<BlockParameters> take() { return std::move(found_); }

 private:
  void collect(torch::nn::Module& module, const std::string& name, BlockParameters& into) {
    const auto path = [&name](const std::string& key) { return name.empty() ? key : name + "." + key; };
    for (const auto& child : module.named_children()) {
      if (!seen_modules_.insert(child.value().get()).second) continue;
      if (auto* const block = child.value()->as<Block>())
        find_in(block, *block, path(child.key()));
      else
        collect(*child.value(), path(child.key()), into);
    }
    for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
      if (seen_parameters_.insert(parameter.value().unsafeGetTensorImpl()).second)
        into.parameters.emplace_back(path(parameter.key()), parameter.value());
    }
  }

  std::vector<BlockParameters> found_;
  std::unordered_set<const torch::nn::Module*> seen_modules_;
  std::unordered_set<const c10::TensorImpl*> seen_parameters_;
};

}  // namespace

std::vector<BlockParameters> find_block_parameters(torch::nn::Module& model) {
  ParameterFinder finder;
  finder.find_in(nullptr, model, "");
  return finder.take();
}

}  // namespace ddp::trainer
