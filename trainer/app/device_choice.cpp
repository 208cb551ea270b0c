#include "trainer/app/device_choice.hpp"

#include <stdexcept>
#include <string>

namespace ddp::trainer {

int choose_device(const JobEnvironment& job, int visible) {
  if (visible == 0)
    throw std::runtime_error(
        "no CUDA device is visible here; check resources.gpus_per_node and CUDA_VISIBLE_DEVICES");
  if (visible == 1) return 0;
  if (every_rank_has_a_device(job, visible)) return job.local_rank;
  throw std::runtime_error("this node has " + std::to_string(job.local_world_size) + " ranks and " +
                           std::to_string(visible) + " visible CUDA devices, so rank " +
                           std::to_string(job.rank) +
                           " cannot choose one; use as many devices as ranks per node, or make one device "
                           "visible to each rank (CUDA_VISIBLE_DEVICES)");
}

bool suffices(int visible, const TrainConfig& config, const JobEnvironment& job) {
  return visible >= count_copies(config, job.local_world_size);
}

std::string describe_unused_devices(int visible, const TrainConfig& config, const JobEnvironment& job) {
  if (visible == 0) return {};
  const std::string begin = std::to_string(visible) +
                            (visible == 1 ? " CUDA device is" : " CUDA devices are") +
                            " visible but not used: ";
  if (has_replicas(config))
    return begin + "train.data_parallel.replicas is " + std::to_string(count_copies(config, 1)) +
           "; use as many devices, or fewer replicas";
  const std::string ranks = begin + "this node has " + std::to_string(job.local_world_size) + " ranks; ";
  if (visible == 1) return ranks + "if each rank sees a device of its own, set train.device: cuda";
  return ranks +
         "start as many ranks as devices, or make one device visible to each rank and set train.device: cuda";
}

std::string describe_untested_devices(const TrainConfig& config) {
  return "the GPUs are not used: strategy " + config.strategy.name +
         " has not been tested on CUDA devices yet";
}

}  // namespace ddp::trainer
