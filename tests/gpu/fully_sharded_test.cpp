#include <ATen/ATen.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <mutex>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "ddp/trainer/distributed_data_parallel.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/gpu/ranks_on_gpus.hpp"
#include "tests/unit/trainer/same_tensors.hpp"
#include "trainer/sharding/fully_sharded_module.hpp"
#include "trainer/sharding/own_rows.hpp"

// `train` refuses device: cuda with fsdp and hsdp until this has run on two GPUs.
namespace ddp::trainer {
namespace {

constexpr std::int64_t kWidth = 1021;  // rows of two ranks differ in number
constexpr std::int64_t kBatch = 64;    // of a rank
constexpr int kSteps = 20;
constexpr double kLearningRate = 0.5;

struct WideLayer : Block {
  WideLayer() : linear(register_module("linear", torch::nn::Linear(kWidth, kWidth))) {}
  torch::Tensor forward(const torch::Tensor& input) override { return input + linear->forward(input).tanh(); }

  torch::nn::Linear linear;
};

struct DeepNet : torch::nn::Module {
  DeepNet() {
    for (int i = 0; i < 6; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), std::make_shared<WideLayer>()));
    head = register_module("head", torch::nn::Linear(kWidth, 10));
  }
  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = input;
    for (const auto& layer : layers) x = (*layer)(x);
    return head->forward(x);
  }

  std::vector<std::shared_ptr<WideLayer>> layers;
  torch::nn::Linear head{nullptr};
};

/// Random numbers are of the process, and so are the seeds.
std::mutex seeded;

std::shared_ptr<DeepNet> make_net(at::Device device) {
  const std::lock_guard lock(seeded);
  torch::manual_seed(3);
  auto net = std::make_shared<DeepNet>();
  net->to(device);
  return net;
}

torch::Tensor make_input(int number, at::Device device) {
  const std::lock_guard lock(seeded);
  torch::manual_seed(100 + static_cast<std::uint64_t>(number));
  return at::randn({kBatch, kWidth}).to(device);
}

/// A rank of a training.
struct Trainee {
  ProcessGroup& world;
  at::Device device;
  int passes = 1;  // of a step

  /// That many steps, of passes which the caller makes.
  template <class Pass>
  void train(const NamedTensors& parameters, const Pass& pass) const {
    for (int step = 0; step < kSteps; ++step) {
      for (int i = 0; i < passes; ++i) {
        const int number = (step * passes + i) * world.size() + world.rank();
        pass(make_input(number, device), i + 1 == passes ? GradientSync::now : GradientSync::later);
      }
      descend(parameters);
    }
  }

  static void descend(const NamedTensors& parameters) {
    const at::NoGradGuard no_grad;
    for (const auto& [name, parameter] : parameters) {
      torch::Tensor tensor = parameter;
      tensor.add_(tensor.grad(), -kLearningRate);
      tensor.mutable_grad().reset();
    }
  }

  /// All parameters, on the CPU.
  [[nodiscard]] NamedTensors replicated() const {
    const auto net = make_net(device);
    DistributedDataParallel model(net, world);
    NamedTensors parameters;
    for (const auto& item : net->named_parameters()) parameters.emplace_back(item.key(), item.value());
    train(parameters, [&](const torch::Tensor& input, GradientSync sync) {
      std::optional<DistributedDataParallel::NoSync> unreduced;
      if (sync == GradientSync::later) unreduced.emplace(model);
      model.forward(input).square().mean().backward();
    });
    return on_cpu(parameters);
  }

  /// The rows of this rank, on the CPU.
  [[nodiscard]] NamedTensors sharded(const ShardGroups& groups, const FullyShardedOptions& options) const {
    const auto net = make_net(device);
    FullyShardedModule model(
        net, [&net](const torch::Tensor& input) { return net->forward(input); }, groups, options);
    train(model.rows(), [&](const torch::Tensor& input, GradientSync sync) {
      model.set_gradient_sync(sync);
      model.forward(input).square().mean().backward();
    });
    return on_cpu(model.rows());
  }
  [[nodiscard]] NamedTensors sharded(const FullyShardedOptions& options = {}) const {
    return sharded(ShardGroups{world}, options);
  }

  /// Whether the rows of this rank of `shards` are those of `whole`, but for so much of the way that they
  /// have come.
  void expect_near(const NamedTensors& rows, const NamedTensors& whole, double part,
                   const ProcessGroup& shards) const {
    const auto begin = make_net(at::kCPU)->named_parameters();
    ASSERT_EQ(rows.size(), whole.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& [name, expected] = whole[i];
      const torch::Tensor target = own_rows(expected, shards);
      const double way = (target - own_rows(begin[name].detach(), shards)).norm().item<double>();
      const double off = (rows[i].second - target).norm().item<double>();
      EXPECT_GT(way, 0) << name;
      EXPECT_LE(off, part * way) << name;
    }
  }
  void expect_near(const NamedTensors& rows, const NamedTensors& whole, double part) const {
    expect_near(rows, whole, part, world);
  }

  static NamedTensors on_cpu(const NamedTensors& tensors) {
    NamedTensors copies;
    for (const auto& [name, tensor] : tensors) copies.emplace_back(name, tensor.detach().cpu());
    return copies;
  }
};

constexpr double kRounding = 1e-3;
constexpr double kRoundingOf16Bits = 0.1;

/// One rank: what streams can spoil is the same as with more.
using FullyShardedOnGpu = GpuTest;

TEST_F(FullyShardedOnGpu, FollowsDistributedDataParallel) {
  run_on_gpus(1, [](ProcessGroup& world, at::Device device) {
    for (const int passes : {1, 3}) {
      const Trainee trainee{world, device, passes};
      trainee.expect_near(trainee.sharded(), trainee.replicated(), kRounding);
    }
  });
}

void expect_that_options_change_no_byte(int gpus) {
  run_on_gpus(gpus, [](ProcessGroup& world, at::Device device) {
    const Trainee trainee{world, device};
    const NamedTensors plain = trainee.sharded();
    EXPECT_TRUE(same_tensors(trainee.sharded(), plain));
    EXPECT_TRUE(same_tensors(trainee.sharded({.prefetch = Prefetch::yes}), plain));
    EXPECT_TRUE(same_tensors(trainee.sharded({.after_forward = AfterForward::keep}), plain));
  });
}

TEST_F(FullyShardedOnGpu, OptionsChangeNoByte) {
  expect_that_options_change_no_byte(1);
}

TEST_F(FullyShardedOnGpu, GroupsOfASplitHaveNccl) {
  run_on_gpus(1, [](ProcessGroup& world, at::Device device) {
    ProcessGroup part = world.split({0});
    EXPECT_EQ(part.c10d_group()->getBackend(c10::DeviceType::CUDA)->getBackendName(), "nccl");
    torch::Tensor tensor = at::ones({4}, at::TensorOptions(device));
    part.all_reduce(tensor);
    EXPECT_TRUE(same_tensor(tensor.cpu(), at::ones({4})));
  });
}

class FullyShardedOnTwoGpus : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && torch::cuda::device_count() < 2) GTEST_SKIP() << "this needs two GPUs";
  }
};

TEST_F(FullyShardedOnTwoGpus, FollowsDistributedDataParallel) {
  run_on_gpus(2, [](ProcessGroup& world, at::Device device) {
    for (const int passes : {1, 3}) {
      const Trainee trainee{world, device, passes};
      trainee.expect_near(trainee.sharded({.prefetch = Prefetch::yes}), trainee.replicated(), kRounding);
    }
  });
}

TEST_F(FullyShardedOnTwoGpus, OptionsChangeNoByte) {
  expect_that_options_change_no_byte(2);
}

TEST_F(FullyShardedOnTwoGpus, SixteenBitsLearnWhatFloat32Does) {
  run_on_gpus(2, [](ProcessGroup& world, at::Device device) {
    const Trainee trainee{world, device};
    const NamedTensors whole = trainee.replicated();
    for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
      for (const at::ScalarType reduced : {type, at::kFloat}) {
        const NamedTensors rows =
            trainee.sharded({.param_dtype = type, .reduce_dtype = reduced, .prefetch = Prefetch::yes});
        trainee.expect_near(rows, whole, kRoundingOf16Bits);
      }
    }
  });
}

TEST_F(FullyShardedOnTwoGpus, ReplicasFollowDistributedDataParallel) {
  run_on_gpus(2, [](ProcessGroup& world, at::Device device) {
    const Trainee trainee{world, device};
    ProcessGroup alone = world.split({world.rank()});
    const ShardGroups groups{alone, &world};
    const NamedTensors whole = trainee.replicated();
    for (const at::ScalarType reduced : {at::kFloat, at::kBFloat16}) {
      const NamedTensors rows = trainee.sharded(groups, {.reduce_dtype = reduced, .prefetch = Prefetch::yes});
      trainee.expect_near(rows, whole, reduced == at::kFloat ? kRounding : kRoundingOf16Bits, alone);
      EXPECT_TRUE(
          same_tensors(trainee.sharded(groups, {.reduce_dtype = reduced, .prefetch = Prefetch::no}), rows));
    }
  });
}

}  // namespace
}  // namespace ddp::trainer
