#include "trainer/app/device_choice.hpp"

#include <stdexcept>
#include <string>

namespace ddp::trainer {

int choose_device(const JobEnvironment& job, int visible) {
  if (visible == 0)
    throw std::runtime_error(
        "no CUDA device is to be seen here; is there a GPU for this job (resources.gpus_per_node), and what "
        "is CUDA_VISIBLE_DEVICES?");
  if (visible == 1) return 0;
  if (every_rank_has_a_device(job, visible)) return job.local_rank;
  throw std::runtime_error("this node has " + std::to_string(job.local_world_size) + " ranks, and " +
                           std::to_string(visible) + " CUDA devices are to be seen: which are for rank " +
                           std::to_string(job.rank) +
                           "? Have as many devices as ranks on a node, or show each rank its own "
                           "(CUDA_VISIBLE_DEVICES)");
}

bool suffices(int visible, const TrainConfig& config, const JobEnvironment& job) {
  return visible >= count_copies(config, job.local_world_size);
}

std::string describe_unused_devices(int visible, const TrainConfig& config, const JobEnvironment& job) {
  if (visible == 0) return {};
  const std::string begin = std::to_string(visible) +
                            (visible == 1 ? " CUDA device is" : " CUDA devices are") +
                            " to be seen and not used: ";
  if (has_replicas(config))
    return begin + "train.data_parallel.replicas is " + std::to_string(config.data_parallel.replicas) +
           "; have as many devices, or fewer replicas";
  const std::string ranks = begin + "this node has " + std::to_string(job.local_world_size) + " ranks; ";
  if (visible == 1) return ranks + "if each rank is shown a device of its own, set train.device: cuda";
  return ranks + "start as many ranks as devices, or show each rank its own and set train.device: cuda";
}

}  // namespace ddp::trainer
