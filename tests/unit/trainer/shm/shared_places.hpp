#pragma once

#include <ATen/ATen.h>

#include <chrono>
#include <cstring>
#include <vector>

#include "trainer/shm/shared_slots.hpp"

namespace ddp::trainer {

/// A tensor of each rank.
using Ranks = std::vector<at::Tensor>;

/// The places of `ranks` ranks in memory that they share, all of which have come.
inline std::vector<SharedSlots> places(int ranks,
                                       std::chrono::milliseconds timeout = std::chrono::minutes(1)) {
  std::vector<SharedSlots> all;
  auto memory = SharedMemory::create(SharedSlots::bytes_for(ranks));
  const std::string address = memory.address();
  for (int rank = 0; rank < ranks; ++rank) all.emplace_back(SharedMemory::open(address), rank, ranks, rank);
  for (SharedSlots& place : all) place.begin(timeout);
  return all;
}

/// Of numbers of very different size, so that the last bits tell in which order they were added up.
inline Ranks random_terms(int ranks, std::int64_t elements, at::ScalarType type) {
  const double scale = type == at::kHalf ? 0x1p-12 : 1;  // its sums are finite, then
  Ranks terms;
  for (int rank = 0; rank < ranks; ++rank) {
    const at::Tensor sizes = at::randint(-20, 20, {elements}, at::kDouble).exp2() * scale;
    terms.push_back((at::randn({elements}, at::kDouble) * sizes).to(type));
  }
  return terms;
}

inline bool same_bytes(const at::Tensor& a, const at::Tensor& b) {
  return a.nbytes() == b.nbytes() &&
         (a.nbytes() == 0 || std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0);
}

}  // namespace ddp::trainer
