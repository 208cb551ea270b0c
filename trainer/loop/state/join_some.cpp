#include "trainer/loop/state/join_some.hpp"

#include <algorithm>

namespace ddp::trainer {

std::string join_some(std::span<const std::string> texts, std::size_t shown) {
  std::string joined;
  for (std::size_t i = 0; i < std::min(texts.size(), shown); ++i) joined += (i == 0 ? "" : "; ") + texts[i];
  if (texts.size() > shown) joined += "; and " + std::to_string(texts.size() - shown) + " more";
  return joined;
}

}  // namespace ddp::trainer
