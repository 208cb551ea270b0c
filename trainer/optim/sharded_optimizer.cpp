#include "trainer/optim/sharded_optimizer.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "trainer/checkpoint/packed_tensors.hpp"
#include "trainer/distributed/agreement/gather_bytes.hpp"
#include "trainer/optim/parameter_blocks.hpp"
#include "trainer/optim/parameter_owners.hpp"

namespace ddp::trainer {
namespace {

NamedTensors share_of(int rank, const NamedTensors& parameters, const std::vector<int>& owners) {
  NamedTensors share;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (owners[i] == rank) share.push_back(parameters[i]);
  }
  return share;
}

class ShardedOptimizer final : public Optimizer {
 public:
  ShardedOptimizer(NamedTensors all, std::vector<int> owners,
                   const std::function<std::unique_ptr<Optimizer>(NamedTensors)>& make, ProcessGroup& group)
      : Optimizer(std::move(all)),
        group_(group),
        owners_(std::move(owners)),
        blocks_(parameters(), owners_, group),
        own_(make(share_of(group.rank(), parameters(), owners_))) {}

  [[nodiscard]] NamedTensors state() const override { return own_->state(); }

  [[nodiscard]] NamedTensors gather_state() override {
    const torch::Tensor packed = group_.rank() == 0 ? pack_tensors({}) : pack_tensors(own_->state());
    NamedTensors gathered = own_->state();
    for (const auto& message : gather_bytes(packed, group_)) {
      for (auto& item : unpack_tensors(message)) gathered.push_back(std::move(item));
    }
    sort_by_parameter(gathered);
    return gathered;
  }

 private:
  // Whether any parameter has a gradient is the same on all ranks, so all of them come here. For this
  // optimizer they are one group; own_ knows which of them it decays.
  void update(std::span<const std::size_t>, double learning_rate, ParameterGroup) override {
    own_->step(learning_rate);
    blocks_.share();
  }

  void load_part(std::size_t index, const std::string& part, const torch::Tensor& value) override {
    if (owners_[index] == group_.rank()) own_->load_state({{parameters()[index].first + "." + part, value}});
  }

  void sort_by_parameter(NamedTensors& state) const {
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < parameters().size(); ++i) places.emplace(parameters()[i].first, i);
    std::ranges::stable_sort(state, {}, [&](const auto& item) {
      const std::string_view name = item.first;
      return places.at(name.substr(0, name.rfind('.')));
    });
  }

  ProcessGroup& group_;
  std::vector<int> owners_;  // of the parameters
  ParameterBlocks blocks_;
  std::unique_ptr<Optimizer> own_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sharded_optimizer(
    NamedTensors parameters, const std::function<std::unique_ptr<Optimizer>(NamedTensors)>& make,
    ProcessGroup& group) {
  auto owners = assign_owners(parameters, group.size());
  return std::make_unique<ShardedOptimizer>(std::move(parameters), std::move(owners), make, group);
}

}  // namespace ddp::trainer
