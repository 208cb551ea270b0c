#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

#include "trainer/shm/shared_memory_gloo.hpp"

namespace ddp::trainer {

/// What a c10d::Reducer gets as its backend where ranks share memory. The sums that it asks for in a backward
/// are begun when the backward is done: the thread that adds up is the one that computes gradients. All else,
/// and sums outside of a backward, go to the backend below at once. Used by one thread at a time.
class BackwardSums final : public c10d::Backend {
 public:
  /// Of a backward that has asked for sums, in the mean.
  struct Times {
    std::chrono::nanoseconds backward{};  ///< until its own work is done
    std::chrono::nanoseconds sums{};      ///< after that: waiting for other ranks, and adding up
  };

  explicit BackwardSums(c10::intrusive_ptr<SharedMemoryGloo> gloo);

  /// To be called when a backward begins, within it.
  void begin();

  /// Adds up what waits. To be called when the backward is done, before anybody waits for its futures.
  void end();

  /// Nullopt until a backward has asked for sums.
  [[nodiscard]] std::optional<Times> mean_times() const;

  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                           const c10d::AllreduceOptions& options) override;
  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override;
  [[nodiscard]] const std::string getBackendName() const override { return "backward_sums"; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Sum {
    std::vector<at::Tensor> tensors;
    c10d::AllreduceOptions options;
    c10::intrusive_ptr<c10::ivalue::Future> future;
  };

  void add_up();

  c10::intrusive_ptr<SharedMemoryGloo> gloo_;
  std::optional<int> backward_;  ///< whose sums wait
  Clock::time_point begun_;
  std::vector<Sum> waiting_;
  Times total_;
  std::int64_t backwards_ = 0;
};

}  // namespace ddp::trainer
