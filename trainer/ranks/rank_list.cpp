#include "trainer/ranks/rank_list.hpp"

#include <cstddef>

namespace ddp::trainer {

std::string render_rank_list(std::span<const int> ranks) {
  std::string text = (ranks.size() == 1 ? "rank " : "ranks ") + std::to_string(ranks.front());
  for (std::size_t i = 1; i < ranks.size(); ++i)
    text += (i + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[i]);
  return text;
}

}  // namespace ddp::trainer
