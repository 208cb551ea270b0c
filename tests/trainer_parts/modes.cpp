// One rank of a test: trains a model under DistributedDataParallel in one of its modes.
//
//   modes check SUMS MODE...    with a twin by a few lines that average each gradient by an all_reduce;
//                               prints "MODE: same" if both end the same. SUMS: memory, which the
//                               ranks share, or gloo
//   modes save FOLDER MODE...   writes how each MODE ends to FOLDER/MODE-rank-R.safetensors, for the
//                               comparison with Python (tests/peers/ddp_modes.py)
//
// MODE: a branch of scenario_of().
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <cstring>
#include <filesystem>
#include <iostream>

#include "ddp/trainer/distributed_data_parallel.hpp"
#include "tests/trainer_parts/parts.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/optim/optimizer.hpp"

namespace ddp::trainer::modes {
namespace {

constexpr int kCheckedSteps = 8;
constexpr int kSavedSteps = 40;
constexpr double kLearningRate = 0.05;
constexpr std::int64_t kBatch = 16;

// Several buckets of gradients, buffers, and a layer that not every forward goes through.
class Net : public torch::nn::Module {
 public:
  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor x = norm_->forward(first_->forward(input)).relu();
    const torch::Tensor y = middle_->forward(x).relu();
    return last_->forward(through_extra ? extra_->forward(y) : y);
  }

  bool through_extra = true;

 private:
  torch::nn::Linear first_ = register_module("first", torch::nn::Linear(64, 1024));
  torch::nn::BatchNorm1d norm_ = register_module("norm", torch::nn::BatchNorm1d(1024));
  torch::nn::Linear middle_ = register_module("middle", torch::nn::Linear(1024, 512));
  torch::nn::Linear extra_ = register_module("extra", torch::nn::Linear(512, 512));
  torch::nn::Linear last_ = register_module("last", torch::nn::Linear(512, 10));
};

struct Scenario {
  DistributedDataParallelOptions options = {.bucket_cap_mib = 1, .gradient_as_bucket_view = true};
  int micro_batches = 1;
  // With two ranks a sum has one order only; with more, buckets and single tensors add up differently.
  double tolerance = 1e-4;
  bool (*goes_through_extra)(int rank, int step) = [](int, int) { return true; };
};

Scenario scenario_of(const std::string& mode) {
  Scenario scenario;
  if (mode == "plain") return scenario;
  if (mode == "copied_gradients") {
    scenario.options.gradient_as_bucket_view = false;
  } else if (mode == "find_unused") {
    scenario.options.find_unused_parameters = true;
    // Used by some ranks, by none, by some, …
    scenario.goes_through_extra = [](int rank, int step) { return step % 2 == 0 && rank % 2 == 0; };
  } else if (mode == "static_graph") {
    scenario.options.static_graph = true;
    scenario.goes_through_extra = [](int, int) { return false; };
  } else if (mode == "no_sync") {
    scenario.micro_batches = 3;
  } else if (mode == "own_buffers") {
    scenario.options.broadcast_buffers = false;
  } else if (mode == "fp16" || mode == "fp16_no_sync") {
    scenario.options.comm_hook = CommHook::fp16;
    scenario.micro_batches = mode == "fp16" ? 1 : 3;
    scenario.tolerance = 2e-3;
  } else if (mode == "bf16") {
    scenario.options.comm_hook = CommHook::bf16;
    scenario.tolerance = 1e-2;
  } else {
    throw std::invalid_argument("no mode '" + mode + "'");
  }
  return scenario;
}

struct Example {
  torch::Tensor input;
  torch::Tensor target;
};

Example example_of(int rank, int step, int micro_batch) {
  torch::manual_seed(static_cast<std::uint64_t>(1000 * rank + 10 * step + micro_batch));
  return {at::randn({kBatch, 64}), at::randint(10, {kBatch}, at::kLong)};
}

std::shared_ptr<Net> make_net(int seed) {
  torch::manual_seed(static_cast<std::uint64_t>(seed));
  return std::make_shared<Net>();
}

std::unique_ptr<Optimizer> make_sgd_for(const Net& net) {
  NamedTensors parameters;
  for (const auto& item : net.named_parameters()) parameters.emplace_back(item.key(), item.value());
  return make_optimizer({"sgd",
                         {{"learning_rate", kLearningRate},
                          {"momentum", 0.9},
                          {"dampening", 0.0},
                          {"weight_decay", 0.0},
                          {"decay", "all"},
                          {"nesterov", false},
                          {"implementation", "auto"}}},
                        parameters);
}

// Starts from other parameters on each rank: those of rank 0 have to win.
std::shared_ptr<Net> train_parallel(const Scenario& scenario, int steps, ProcessGroup& group) {
  const auto net = make_net(group.rank());
  DistributedDataParallel model(net, group, scenario.options);
  const auto optimizer = make_sgd_for(*net);
  const auto backward = [&](const Example& example) {
    at::cross_entropy_loss(model.forward(example.input), example.target).backward();
  };
  for (int step = 0; step < steps; ++step) {
    optimizer->zero_grad();
    net->through_extra = scenario.goes_through_extra(group.rank(), step);
    for (int micro = 0; micro + 1 < scenario.micro_batches; ++micro) {
      const auto no_sync = model.no_sync();
      backward(example_of(group.rank(), step, micro));
    }
    backward(example_of(group.rank(), step, scenario.micro_batches - 1));
    optimizer->step(kLearningRate);
  }
  return net;
}

void share_buffers(const Net& net, ProcessGroup& group) {
  for (auto& buffer : net.buffers()) group.broadcast(buffer);
}

// The mean over the ranks; a rank without a gradient counts as zeros; where no rank has one there is none.
void average_gradient(torch::Tensor& parameter, CommHook hook, ProcessGroup& group) {
  auto& gradient = parameter.mutable_grad();
  torch::Tensor exists = at::tensor({gradient.defined() ? 1 : 0}, at::kLong);
  group.all_reduce(exists, ReduceOp::max);
  if (exists.item<std::int64_t>() == 0) return;
  if (!gradient.defined()) gradient = at::zeros_like(parameter);
  const auto sent_as = hook == CommHook::fp16   ? at::kHalf
                       : hook == CommHook::bf16 ? at::kBFloat16
                                                : at::kFloat;
  torch::Tensor sent = gradient.to(sent_as).div_(group.size());
  group.all_reduce(sent);
  gradient.copy_(sent);
}

std::shared_ptr<Net> train_reference(const Scenario& scenario, ProcessGroup& group) {
  const auto net = make_net(0);
  const auto optimizer = make_sgd_for(*net);
  for (int step = 0; step < kCheckedSteps; ++step) {
    optimizer->zero_grad();
    net->through_extra = scenario.goes_through_extra(group.rank(), step);
    for (int micro = 0; micro < scenario.micro_batches; ++micro) {
      if (micro == 0 && scenario.options.broadcast_buffers)
        share_buffers(*net, group);  // not after a forward that was not synchronised
      const Example example = example_of(group.rank(), step, micro);
      at::cross_entropy_loss(net->forward(example.input), example.target).backward();
    }
    for (auto& parameter : net->parameters()) average_gradient(parameter, scenario.options.comm_hook, group);
    optimizer->step(kLearningRate);
  }
  return net;
}

NamedTensors state_of(const Net& net) {
  NamedTensors state;
  for (const auto& item : net.named_parameters()) state.emplace_back(item.key(), item.value().detach());
  for (const auto& item : net.named_buffers()) state.emplace_back(item.key(), item.value());
  return state;
}

bool same_bytes(const torch::Tensor& a, const torch::Tensor& b) {
  return std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

bool same(const torch::Tensor& a, const torch::Tensor& b, const Scenario& scenario, int ranks) {
  return ranks <= 2 ? same_bytes(a, b) : at::allclose(a, b, scenario.tolerance, scenario.tolerance / 10);
}

int compare(const Net& parallel, const Net& reference, const Scenario& scenario, ProcessGroup& group) {
  const auto mine = state_of(parallel);
  const auto twin = state_of(reference);
  int different = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const auto& [name, tensor] = mine[i];
    torch::Tensor of_rank_0 = tensor.clone();
    group.broadcast(of_rank_0);
    if (i < parallel.parameters().size() && !same_bytes(tensor, of_rank_0))
      ++different, std::cerr << name << " differs from rank 0's\n";
    if (!same(tensor, twin[i].second, scenario, group.size())) {
      ++different;
      std::cerr << name << " differs by up to " << (tensor - twin[i].second).abs().max().item<double>()
                << '\n';
    }
  }
  return different;
}

enum class Sums { in_memory, over_gloo };

Sums parse_sums(const std::string& word) {
  if (word == "memory") return Sums::in_memory;
  if (word == "gloo") return Sums::over_gloo;
  throw std::invalid_argument("no sums '" + word + "'");
}

int check(Sums sums, const std::vector<std::string>& modes) {
  ProcessGroup group = join_group(this_rank(), {.shared_memory = sums == Sums::in_memory});
  for (const auto& mode : modes) {
    const Scenario scenario = scenario_of(mode);
    const auto parallel = train_parallel(scenario, kCheckedSteps, group);
    const auto reference = train_reference(scenario, group);
    const int different = compare(*parallel, *reference, scenario, group);
    std::cout << mode << (different == 0 ? ": same" : ": different") << std::endl;
  }
  group.barrier();
  return 0;
}

int save(const std::filesystem::path& folder, const std::vector<std::string>& modes) {
  ProcessGroup group = join_group(this_rank());
  const std::string suffix = "-rank-" + std::to_string(group.rank()) + ".safetensors";
  for (const auto& mode : modes) {
    save_safetensors(folder / (mode + suffix),
                     state_of(*train_parallel(scenario_of(mode), kSavedSteps, group)));
  }
  group.barrier();
  return 0;
}

}  // namespace

int run(const Words& words) {
  at::set_num_threads(1);
  if (words.size() > 2) {
    const std::vector<std::string> modes(words.begin() + 2, words.end());
    if (words[0] == "check") return check(parse_sums(words[1]), modes);
    if (words[0] == "save") return save(words[1], modes);
  }
  throw std::invalid_argument("modes check SUMS MODE... | save FOLDER MODE...");
}

}  // namespace ddp::trainer::modes
