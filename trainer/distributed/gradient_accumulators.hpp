#pragma once

#include <torch/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace torch::autograd {
struct Node;
}

namespace ddp::trainer {

/// The nodes of autograd that add gradients to parameters. c10d::Reducer hooks those that its parameters have
/// when it is made. What replaces the data of a parameter (torch::load(), to()) lets autograd make another
/// node, of which the reducer hears nothing.
class GradientAccumulators {
 public:
  explicit GradientAccumulators(std::vector<torch::Tensor> parameters);

  /// The index of the first parameter that has another node now; nullopt: all have the same.
  [[nodiscard]] std::optional<std::size_t> find_replaced() const;

 private:
  std::vector<torch::Tensor> parameters_;
  std::vector<std::shared_ptr<torch::autograd::Node>> nodes_;
};

}  // namespace ddp::trainer
