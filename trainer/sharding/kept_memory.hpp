#pragma once

#include <c10/core/Event.h>
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ddp::trainer {

/// Memory of blocks that come and go in each pass, on one device. It is kept for the next block. On the CPU
/// an allocation of this size costs page faults; on CUDA LibTorch's allocator divides its memory by streams,
/// and would have to be told of each other stream that uses a piece. Used by one thread at a time.
class KeptMemory {
 public:
  explicit KeptMemory(at::Device device) : device_(device) {}

  /// At least so many bytes, with what was in them; aligned as a tensor's. On CUDA the current stream waits
  /// for the last use of this memory.
  [[nodiscard]] torch::Tensor take(std::int64_t bytes);

  /// Takes them back; an undefined tensor is nothing. On CUDA their last use is what is queued on the current
  /// stream, or came before that.
  void give_back(torch::Tensor& memory);

 private:
  struct Free {
    torch::Tensor memory;
    std::optional<c10::Event> last_use;  // on CUDA
  };

  at::Device device_;
  std::vector<Free> free_;
};

/// The tensor of so many elements that begins at byte `begin` of `memory`.
[[nodiscard]] torch::Tensor view_as(const torch::Tensor& memory, std::int64_t begin, std::int64_t elements,
                                    at::ScalarType type);

/// The bytes that such a tensor takes on `device` when another one follows.
[[nodiscard]] std::int64_t aligned_bytes(std::int64_t elements, at::ScalarType type, at::Device device);

}  // namespace ddp::trainer
