#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace ddp::trainer {

/// Memory of blocks that come and go in each pass. It is kept for the next block: what an allocation of this
/// size costs is the page faults. Used by one thread.
class KeptMemory {
 public:
  /// At least so many bytes, with what was in them; aligned as a tensor's.
  [[nodiscard]] torch::Tensor take(std::int64_t bytes);

  /// Takes them back; an undefined tensor is nothing.
  void give_back(torch::Tensor& memory);

 private:
  std::vector<torch::Tensor> free_;
};

/// The tensor of so many elements that begins at byte `begin` of `memory`.
[[nodiscard]] torch::Tensor view_as(const torch::Tensor& memory, std::int64_t begin, std::int64_t elements,
                                    at::ScalarType type);

/// The bytes that such a tensor takes when another one follows.
[[nodiscard]] std::int64_t aligned_bytes(std::int64_t elements, at::ScalarType type);

}  // namespace ddp::trainer
