// Uses only the job environment, the process group and DistributedDataParallel of ddp::trainer; the loop, the
// optimizer, the data and the checkpoint are LibTorch's. It stops on request, and resumes from its
// checkpoint. It runs as a command: of ddpsubmit, with the variables of torchrun, and alone. The first
// argument is the number of epochs.
#include <ddpsubmit.h>
#include <torch/torch.h>
#include <ddp/trainer/distributed_data_parallel.hpp>
#include <ddp/trainer/distributed_sampler.hpp>
#include <ddp/trainer/init_process_group.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

using Net = std::shared_ptr<torch::nn::LinearImpl>;

/// If the program is killed here, either the old or the new file is complete.
void save(const std::string& file, const Net& net, const torch::optim::Optimizer& optimizer,
          std::int64_t step) {
  torch::serialize::OutputArchive all, of_net, of_optimizer;
  net->save(of_net);
  optimizer.save(of_optimizer);
  all.write("net", of_net);
  all.write("optimizer", of_optimizer);
  all.write("step", torch::tensor(step));
  all.save_to(file + ".new");
  std::filesystem::rename(file + ".new", file);
}

/// Rank 0 reads the file and broadcasts it, so the ranks need no shared folder. Returns the number of
/// finished steps. Loading replaces the parameters: it has to come before DistributedDataParallel.
std::int64_t load(const std::string& file, const Net& net, torch::optim::Optimizer& optimizer,
                  ddp::trainer::ProcessGroup& group) {
  std::string bytes;
  if (group.rank() == 0) {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  auto size = torch::tensor(static_cast<std::int64_t>(bytes.size()));
  group.broadcast(size);
  if (size.item<std::int64_t>() == 0) return 0;
  auto message = torch::empty({size.item<std::int64_t>()}, torch::kUInt8);
  if (group.rank() == 0) std::memcpy(message.data_ptr(), bytes.data(), bytes.size());
  group.broadcast(message);

  torch::serialize::InputArchive all, of_net, of_optimizer;
  all.load_from(static_cast<const char*>(message.const_data_ptr()), message.nbytes());
  all.read("net", of_net);
  all.read("optimizer", of_optimizer);
  net->load(of_net);
  optimizer.load(of_optimizer);
  torch::Tensor step;
  all.read("step", step);
  return step.item<std::int64_t>();
}

int main(int argc, char** argv) {
  const auto job = ddp::JobEnvironment::from(ddp::EnvMap::capture());
  if (!job) return std::fprintf(stderr, "%s\n", job.error().message.c_str()), 1;
  auto* const page = ddpsubmit_open();
  if (page != nullptr) std::signal(SIGTERM, SIG_IGN);  // ddpsubmit_should_stop() says when to stop
  const std::int64_t epochs = argc > 1 ? std::atoll(argv[1]) : 3;
  auto group = ddp::trainer::init_process_group(*job);

  torch::manual_seed(1);
  const auto inputs = torch::randn({1000, 8});
  const auto targets = inputs.sum(1, /*keepdim=*/true);
  auto net = std::make_shared<torch::nn::LinearImpl>(8, 1);
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
  const char* const folder = std::getenv("DDPSUBMIT_OUTPUT_DIR");  // kept over restarts, requeues and reruns
  const std::string file = std::string(folder != nullptr ? folder : ".") + "/checkpoint.pt";
  const std::int64_t done = load(file, net, optimizer, group);
  ddp::trainer::DistributedDataParallel model(net, group);

  const ddp::trainer::DistributedSampler sampler{
      .dataset_size = inputs.size(0), .num_replicas = group.size(), .rank = group.rank()};
  const std::int64_t batch_size = 50,
                     steps_per_epoch = (std::ssize(sampler.indices(0)) + batch_size - 1) / batch_size;
  std::vector<torch::Tensor> batches;
  for (std::int64_t step = done + 1; step <= epochs * steps_per_epoch; ++step) {
    const auto epoch = (step - 1) / steps_per_epoch, batch = (step - 1) % steps_per_epoch;
    if (batch == 0 || batches.empty()) batches = torch::tensor(sampler.indices(epoch)).split(batch_size);
    const auto& indices = batches[batch];
    optimizer.zero_grad();
    auto loss =
        torch::mse_loss(model.forward(inputs.index_select(0, indices)), targets.index_select(0, indices));
    loss.backward();
    optimizer.step();

    ddpsubmit_step(page, step, epochs * steps_per_epoch);
    const bool stop = ddpsubmit_should_stop(page) != 0;  // after the same step on all ranks
    const bool ends_epoch = batch + 1 == steps_per_epoch;
    if (group.rank() == 0 && (stop || ends_epoch)) save(file, net, optimizer, step);
    if (stop) return DDPSUBMIT_STOPPED;
    if (!ends_epoch) continue;
    auto mean = loss.detach();
    group.all_reduce(mean);
    if (group.rank() == 0)
      std::printf("epoch %lld  loss %g\n", static_cast<long long>(epoch + 1),
                  mean.item<double>() / group.size());
  }
  group.barrier();
}
