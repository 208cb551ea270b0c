// Uses only the job environment, the process group and DistributedDataParallel of ddp::trainer; the loop, the
// optimizer and the data are LibTorch's. It runs as a command: of ddpsubmit, with the variables of torchrun,
// and alone.
#include <torch/torch.h>
#include <ddp/trainer/distributed_data_parallel.hpp>
#include <ddp/trainer/distributed_sampler.hpp>
#include <ddp/trainer/init_process_group.hpp>

#include <cstdio>

int main() {
  const auto job = ddp::JobEnvironment::from(ddp::EnvMap::capture());
  if (!job) return std::fprintf(stderr, "%s\n", job.error().message.c_str()), 1;
  auto group = ddp::trainer::init_process_group(*job);

  torch::manual_seed(1);
  const auto inputs = torch::randn({1000, 8});
  const auto targets = inputs.sum(1, /*keepdim=*/true);
  auto net = std::make_shared<torch::nn::LinearImpl>(8, 1);
  ddp::trainer::DistributedDataParallel model(net, group);
  torch::optim::SGD optimizer(net->parameters(), 0.1);

  const ddp::trainer::DistributedSampler sampler{
      .dataset_size = inputs.size(0), .num_replicas = group.size(), .rank = group.rank()};
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    torch::Tensor sum = torch::zeros(1);
    for (const auto& indices : torch::tensor(sampler.indices(epoch)).split(50)) {
      optimizer.zero_grad();
      const auto loss =
          torch::mse_loss(model.forward(inputs.index_select(0, indices)), targets.index_select(0, indices));
      loss.backward();
      optimizer.step();
      sum += loss.detach();
    }
    group.all_reduce(sum);
    if (group.rank() == 0)
      std::printf("epoch %d  loss %g\n", static_cast<int>(epoch + 1), sum.item<double>() / group.size());
  }
  group.barrier();
}
