#include "trainer/distributed/agreement/gather_texts.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>

namespace ddp::trainer {

std::vector<std::string> gather_texts(const std::string& text, ProcessGroup& group) {
  const auto sizes = group.all_gather(at::tensor({static_cast<std::int64_t>(text.size())}, at::kLong));
  std::int64_t longest = 1;
  for (const torch::Tensor& size : sizes) longest = std::max(longest, size.item<std::int64_t>());
  const torch::Tensor mine = at::zeros({longest}, at::kByte);
  std::memcpy(mine.mutable_data_ptr(), text.data(), text.size());
  const auto all = group.all_gather(mine);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    texts.emplace_back(static_cast<const char*>(all[rank].const_data_ptr()),
                       static_cast<std::size_t>(sizes[rank].item<std::int64_t>()));
  return texts;
}

}  // namespace ddp::trainer
