#include "trainer/sharding/block_parameters.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ddp/trainer/invalid_configuration.hpp"

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
  /// Of a parameter: the name of its block, and its own.
  struct Owner {
    std::string block;
    std::string name;
  };

  void collect(torch::nn::Module& module, const std::string& name, BlockParameters& into) {
    const auto path = [&name](const std::string& key) { return name.empty() ? key : name + "." + key; };
    for (const auto& child : module.named_children()) {
      if (!seen_modules_.insert(child.value().get()).second) continue;
      if (auto* const block = child.value()->as<Block>())
        find_in(block, *block, path(child.key()));
      else
        collect(*child.value(), path(child.key()), into);
    }
    for (const auto& parameter : module.named_parameters(/*recurse=*/false))
      add(path(parameter.key()), parameter.value(), into);
  }

  void add(const std::string& name, const torch::Tensor& parameter, BlockParameters& into) {
    const auto [first, is_new] = owners_.try_emplace(parameter.unsafeGetTensorImpl(), Owner{into.name, name});
    if (is_new) {
      into.parameters.emplace_back(name, parameter);
    } else if (first->second.block != into.name) {
      throw InvalidConfiguration("the parameters '" + first->second.name + "' and '" + name +
                                 "' are one tensor, which two blocks would gather and free; use it in one "
                                 "block, or outside of blocks only, or use train.strategy: ddp");
    }
  }

  std::vector<BlockParameters> found_;
  std::unordered_set<const torch::nn::Module*> seen_modules_;
  std::unordered_map<const c10::TensorImpl*, Owner> owners_;
};

}  // namespace

std::vector<BlockParameters> find_block_parameters(torch::nn::Module& model) {
  ParameterFinder finder;
  finder.find_in(nullptr, model, "");
  return finder.take();
}

}  // namespace ddp::trainer
