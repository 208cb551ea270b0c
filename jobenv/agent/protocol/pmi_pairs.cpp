#include "jobenv/agent/protocol/pmi_pairs.hpp"

#include <algorithm>

namespace ddp::agent {

std::size_t size_of(const PmiPairs& pairs) {
  std::size_t size = 0;
  for (const auto& [key, value] : pairs) size += key.size() + value.size();
  return size;
}

std::vector<PmiPairs> split_pairs(const PmiPairs& pairs, std::size_t max_piece) {
  std::vector<PmiPairs> pieces;
  std::size_t room = 0;
  for (const auto& [key, value] : pairs) {
    const std::size_t size = key.size() + value.size();
    if (pieces.empty() || size > room) {
      pieces.emplace_back();
      room = max_piece;
    }
    pieces.back().emplace(key, value);
    room -= std::min(room, size);
  }
  return pieces;
}

}  // namespace ddp::agent
