// One rank of a test: layers that are synchronised, each rank with a batch of another size, against plain
// ones that see the batches of all ranks. In float64, so that what differs is not the order of sums. Prints
// what differs. It takes no words.
#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/instancenorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <iostream>

#include "ddp/trainer/sync_batch_norm.hpp"
#include "tests/trainer_parts/parts.hpp"

namespace ddp::trainer::sync_batch_norm {
namespace {

using torch::Tensor;
using torch::nn::BatchNormOptions;

constexpr std::int64_t kChannels = 3;

// Layers held in every way, of every kind, and with every option.
struct Net : torch::nn::Module {
  Net() {
    register_module("first", first);
    register_module("rest", rest);
    register_module("instance", instance);
    register_module("volume", volume);
    register_module("last", last);
    to(at::kDouble);
  }

  Tensor forward(const Tensor& input) {
    Tensor x = instance->forward(rest->forward(first->forward(input)));
    x = volume->forward(x.unsqueeze(2)).relu().flatten(1);
    return last->forward(x);
  }

  torch::nn::BatchNorm2d first{kChannels};
  torch::nn::Sequential rest{torch::nn::Conv2d(kChannels, 4, 3),
                             torch::nn::BatchNorm2d(BatchNormOptions(4).track_running_stats(false).eps(1e-3)),
                             torch::nn::Conv2d(4, 2, 1),
                             torch::nn::BatchNorm2d(BatchNormOptions(2).affine(false))};
  torch::nn::InstanceNorm2d instance{torch::nn::InstanceNorm2dOptions(2).affine(true)};
  torch::nn::BatchNorm3d volume{BatchNormOptions(2).momentum(std::nullopt)};
  torch::nn::BatchNorm1d last{BatchNormOptions(2 * 4 * 3).momentum(0.3)};
};

std::shared_ptr<Net> make_net() {
  torch::manual_seed(5);
  auto net = std::make_shared<Net>();
  const at::NoGradGuard no_grad;
  for (auto& parameter : net->parameters()) parameter.add_(at::randn_like(parameter), 0.3);
  return net;
}

std::int64_t samples_of(int rank) {
  return 2 + rank;
}

/// Far from 0, where sums of squares lose what is left of the variance.
Tensor samples_of_all(int ranks, int step) {
  torch::manual_seed(static_cast<std::uint64_t>(100 + step));
  std::int64_t count = 0;
  for (int rank = 0; rank < ranks; ++rank) count += samples_of(rank);
  return at::randn({count, kChannels, 6, 5}, at::kDouble) + 1e4;
}

Tensor part_of(const Tensor& whole, int rank) {
  std::int64_t first = 0;
  for (int before = 0; before < rank; ++before) first += samples_of(before);
  return whole.narrow(0, first, samples_of(rank));
}

class Comparison {
 public:
  void expect_near(const std::string& what, const Tensor& actual, const Tensor& expected) {
    const double distance = (actual - expected).abs().max().item<double>();
    const double size = expected.abs().max().item<double>();
    if (distance <= 1e-9 * (size + 1)) return;
    std::cout << what << " differs by " << distance << " of " << size << '\n';
    differs_ = true;
  }
  [[nodiscard]] bool differs() const { return differs_; }

 private:
  bool differs_ = false;
};

struct Pass {
  Tensor output;
  Tensor input_gradient;
};

// A loss that is a sum over samples: that of the ranks together is that of the whole batch.
Pass pass(Net& net, const Tensor& samples) {
  const Tensor input = samples.clone().set_requires_grad(true);
  for (auto& parameter : net.parameters()) parameter.mutable_grad().reset();
  const Tensor output = net.forward(input);
  const Tensor direction = at::sin(at::arange(output.size(1), at::kDouble));
  (output * direction + output.pow(3)).sum().backward();
  return {output.detach(), input.grad()};
}

void compare_step(Net& synchronised, Net& plain, ProcessGroup& group, int step, Comparison& comparison) {
  const Tensor whole = samples_of_all(group.size(), step);
  const Pass mine = pass(synchronised, part_of(whole, group.rank()));
  const Pass all = pass(plain, whole);
  comparison.expect_near("the output", mine.output, part_of(all.output, group.rank()));
  comparison.expect_near("the gradient of the input", mine.input_gradient,
                         part_of(all.input_gradient, group.rank()));
  const auto expected = plain.named_parameters();
  for (const auto& parameter : synchronised.named_parameters()) {
    Tensor gradient = parameter.value().grad().clone();
    group.all_reduce(gradient);
    comparison.expect_near("the gradient of " + parameter.key(), gradient, expected[parameter.key()].grad());
  }
  const auto buffers = plain.named_buffers();
  for (const auto& buffer : synchronised.named_buffers())
    comparison.expect_near(buffer.key(), buffer.value().to(at::kDouble),
                           buffers[buffer.key()].to(at::kDouble));
}

/// A layer without running statistics would wait for the others, if it were synchronised.
void evaluate_alone(Net& synchronised, Net& plain, ProcessGroup& group, Comparison& comparison) {
  if (group.rank() == 0) {
    const Tensor samples = samples_of_all(1, 7);
    synchronised.eval();
    plain.eval();
    comparison.expect_near("the evaluation", synchronised.forward(samples), plain.forward(samples));
  }
  group.barrier();
}

}  // namespace

int run(const Words&) {
  ProcessGroup group = join_group(this_rank());
  Comparison comparison;
  const auto synchronised = make_net();
  const auto plain = make_net();
  {
    const SyncBatchNorm layers(*synchronised, group);
    for (int step = 0; step < 3; ++step) compare_step(*synchronised, *plain, group, step, comparison);
    evaluate_alone(*synchronised, *plain, group, comparison);
  }
  // Now it is a plain one again, which needs no other rank.
  synchronised->train();
  plain->train();
  const Tensor samples = samples_of_all(1, 8);
  if (group.rank() == 0)
    comparison.expect_near("alone", pass(*synchronised, samples).output, pass(*plain, samples).output);
  group.barrier();
  return comparison.differs() ? 1 : 0;
}

}  // namespace ddp::trainer::sync_batch_norm
