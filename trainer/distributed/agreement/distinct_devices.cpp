#include "trainer/distributed/agreement/distinct_devices.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "trainer/distributed/agreement/gather_texts.hpp"

namespace ddp::trainer {
namespace {

std::vector<std::size_t> ranks_on(const std::string& uuid, const std::vector<std::string>& uuids) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < uuids.size(); ++rank) {
    if (uuids[rank] == uuid) ranks.push_back(rank);
  }
  return ranks;
}

/// "rank 0 (node1), rank 2 (node1)"
std::string render(const std::vector<std::size_t>& ranks, const std::vector<std::string>& hosts) {
  std::string text;
  for (const std::size_t rank : ranks)
    text += (text.empty() ? "rank " : ", rank ") + std::to_string(rank) + " (" + hosts[rank] + ")";
  return text;
}

}  // namespace

void require_distinct_devices(const RankDevice& mine, ProcessGroup& group) {
  const auto uuids = gather_texts(mine.uuid, group);
  const auto hosts = gather_texts(mine.host, group);
  for (const std::string& uuid : uuids) {
    const auto ranks = ranks_on(uuid, uuids);
    if (ranks.size() < 2) continue;
    throw std::runtime_error(
        "several ranks use the same GPU, " + uuid + ": " + render(ranks, hosts) +
        "; NCCL needs one GPU for each rank. Use as many GPUs as ranks per node (resources.gpus_per_node, "
        "resources.tasks_per_node; CUDA_VISIBLE_DEVICES must not be the same single GPU for all), or set "
        "rendezvous.backend: gloo to share the GPU");
  }
}

}  // namespace ddp::trainer
