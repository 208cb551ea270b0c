#pragma once

#include <utility>

#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {

/// One rank with a whole model, that shares nothing.
class PlainStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  [[nodiscard]] Shards shards() const override { return {}; }
  [[nodiscard]] std::vector<PassResult> forward_backward(std::span<const Batch> batches,
                                                         const LocalPass& pass,
                                                         GradientSync /*sync*/) override {
    return {pass([this](const torch::Tensor& input) { return model().forward(input); }, batches.front())};
  }
  void share_model() override {}
};

}  // namespace ddp::trainer
