#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ddp::agent {

/// What the ranks tell each other while MPI starts: the pairs of PMI's key-value space.
using PmiPairs = std::map<std::string, std::string>;

/// How many bytes of keys and values one message may hold, and all ranks together.
inline constexpr std::size_t kMaxPmiPiece = 256u << 10;
inline constexpr std::size_t kMaxPmiPairs = 8u << 20;

[[nodiscard]] std::size_t size_of(const PmiPairs& pairs);

/// In as few pieces as a message allows; none for no pairs.
[[nodiscard]] std::vector<PmiPairs> split_pairs(const PmiPairs& pairs, std::size_t max_piece = kMaxPmiPiece);

}  // namespace ddp::agent
