#include "trainer/distributed/agreement/broadcast_text.hpp"

#include <ATen/ATen.h>

#include <cstring>

namespace ddp::trainer {

std::string broadcast_text(const std::string& text, int root, ProcessGroup& group) {
  torch::Tensor size = at::tensor({static_cast<std::int64_t>(text.size())}, at::kLong);
  group.broadcast(size, root);
  torch::Tensor bytes = at::empty({size.item<std::int64_t>()}, at::kByte);
  if (bytes.numel() == 0) return {};
  if (group.rank() == root) std::memcpy(bytes.mutable_data_ptr(), text.data(), text.size());
  group.broadcast(bytes, root);
  return {static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()};
}

}  // namespace ddp::trainer
