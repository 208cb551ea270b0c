#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// What all ranks are to do after a step.
struct Agreement {
  bool stop = false;
  bool checkpoint = false;  ///< one is due by the clock
};

/// Makes all ranks stop after the same step, whichever of them was asked to stop, and whenever; and makes
/// them checkpoint after the same step when rank 0's clock says so.
///
/// About every 100 ms the ranks exchange whether one of them was asked, and after how many more steps they
/// ask again. The number is agreed too, so that ranks of unequal speed meet at the same step. In an
/// evaluation each looks for itself, and they agree at its end.
class AgreedStop {
 public:
  /// `requested` may be set by anybody at any time (ProgressPage::stop_requested). Both must outlive this
  /// object. Without `checkpoint_every` no checkpoint is ever due.
  AgreedStop(ProcessGroup& group, const std::atomic<std::uint32_t>& requested,
             std::optional<std::chrono::seconds> checkpoint_every);

  /// To be called by all ranks after each step; the answer is the same on all of them. Sometimes a
  /// collective.
  [[nodiscard]] Agreement after_step();

  /// Whether this rank was asked to stop, as far as it knows.
  [[nodiscard]] bool asked() const { return requested_.load(std::memory_order_relaxed) != 0; }

  /// Whether any rank was asked to. A collective.
  [[nodiscard]] bool agreed() const;

  /// A checkpoint was begun, for whatever reason: the next one is due `checkpoint_every` from now.
  void checkpointed() { last_checkpoint_ = std::chrono::steady_clock::now(); }

 private:
  [[nodiscard]] bool checkpoint_due() const;
  [[nodiscard]] std::int64_t steps_in_a_period() const;

  ProcessGroup& group_;
  const std::atomic<std::uint32_t>& requested_;
  std::optional<std::chrono::seconds> checkpoint_every_;
  std::chrono::steady_clock::time_point last_checkpoint_;
  std::int64_t interval_ = 1;
  std::int64_t steps_ = 0;  // since the last exchange
  std::chrono::steady_clock::time_point last_exchange_;
};

}  // namespace ddp::trainer
