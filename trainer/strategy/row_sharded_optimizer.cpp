#include "trainer/strategy/row_sharded_optimizer.hpp"

#include <ATen/ATen.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "trainer/sharding/own_rows.hpp"
#include "trainer/sharding/row_range.hpp"

namespace ddp::trainer {
namespace {

using Sizes = std::vector<std::int64_t>;

class RowShardedOptimizer final : public Optimizer {
 public:
  RowShardedOptimizer(const NamedTensors& rows, std::vector<Sizes> whole,
                      const std::function<std::unique_ptr<Optimizer>(NamedTensors)>& make,
                      ProcessGroup& shards)
      : Optimizer(rows), shards_(shards), whole_(std::move(whole)), own_(make(rows)) {
    for (std::size_t i = 0; i < rows.size(); ++i) place_of_.emplace(rows[i].first, i);
  }

  [[nodiscard]] NamedTensors state() const override { return own_->state(); }

  [[nodiscard]] std::vector<TensorRows> state_rows() const override {
    std::vector<TensorRows> rows;
    for (const auto& [name, tensor] : own_->state()) {
      const Sizes& sizes = sizes_of(name);
      const bool has_rows = tensor.dim() > 0 && sizes.front() > 0;
      if (has_rows)
        rows.push_back({.name = name, .rows = tensor, .first = range_of(sizes).first, .shape = sizes});
      else if (shards_.rank() == 0)
        rows.push_back(whole_tensor(name, tensor));
    }
    return rows;
  }

 private:
  // Which parameters have a gradient is the same on all ranks. own_ knows which of them it decays.
  void update(std::span<const std::size_t>, double learning_rate, ParameterGroup) override {
    own_->step(learning_rate);
  }

  void load_part(std::size_t index, const std::string& part, const torch::Tensor& value) override {
    const std::string& name = parameters()[index].first;
    if (value.dim() > 0 && value.sizes() != whole_[index])
      throw no_place_for(part, value, name, "the optimizer");
    own_->load_state({{name + "." + part, value.dim() > 0 ? own_rows(value, shards_) : value}});
  }

  void read_part(std::size_t index, const std::string& part, const StoredTensor& value,
                 const TensorFiles& files) override {
    if (value.shape.empty() || value.shape != whole_[index])
      return load_part(index, part, files.read(value.name));
    const RowRange own = range_of(value.shape);
    own_->load_state({{value.name, files.read_rows(value.name, own.first, own.first + own.count)}});
  }

  [[nodiscard]] RowRange range_of(const Sizes& whole) const {
    return rows_of_rank(whole.front(), shards_.size(), shards_.rank());
  }

  /// Of the parameter that has the state `name`.
  [[nodiscard]] const Sizes& sizes_of(const std::string& name) const {
    return whole_[place_of_.at(name.substr(0, name.rfind('.')))];
  }

  ProcessGroup& shards_;
  std::vector<Sizes> whole_;                               // of the parameters
  std::unordered_map<std::string, std::size_t> place_of_;  // of each parameter in whole_
  std::unique_ptr<Optimizer> own_;
};

}  // namespace

std::unique_ptr<Optimizer> make_row_sharded_optimizer(
    const NamedTensors& rows, std::vector<Sizes> whole,
    const std::function<std::unique_ptr<Optimizer>(NamedTensors)>& make, ProcessGroup& shards) {
  return std::make_unique<RowShardedOptimizer>(rows, std::move(whole), make, shards);
}

}  // namespace ddp::trainer
