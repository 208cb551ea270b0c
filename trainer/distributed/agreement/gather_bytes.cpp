#include "trainer/distributed/agreement/gather_bytes.hpp"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {
namespace {

constexpr int kTag = 0;

void send_to_rank_0(const torch::Tensor& mine, ProcessGroup& group) {
  std::vector<torch::Tensor> message = {mine};
  const PeerWait wait;
  group.c10d_group()->send(message, 0, kTag)->wait();
}

/// From all at once: none waits for its turn.
std::vector<torch::Tensor> receive(const torch::Tensor& mine, const std::vector<torch::Tensor>& sizes,
                                   ProcessGroup& group) {
  std::vector<torch::Tensor> rows = {mine};
  std::vector<c10::intrusive_ptr<c10d::Work>> arriving;
  for (int rank = 1; rank < group.size(); ++rank) {
    const auto size = sizes[static_cast<std::size_t>(rank)].item<std::int64_t>();
    std::vector<torch::Tensor> message = {at::empty({size}, at::kByte)};
    arriving.push_back(group.c10d_group()->recv(message, rank, kTag));
    rows.push_back(message.front());
  }
  const PeerWait wait;
  for (const auto& work : arriving) work->wait();
  return rows;
}

}  // namespace

std::vector<torch::Tensor> gather_bytes(const torch::Tensor& mine, ProcessGroup& group) {
  const auto sizes = group.all_gather(at::tensor({mine.numel()}, at::kLong));
  if (group.rank() == 0) return receive(mine, sizes, group);
  send_to_rank_0(mine, group);
  return {};
}

}  // namespace ddp::trainer
