#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Makes all ranks stop after the same step, whichever of them was asked to stop, and whenever.
///
/// About every 100 ms the ranks exchange whether one of them was asked, and after how many more steps they
/// ask again. The number is agreed too, so that ranks of unequal speed meet at the same step.
class AgreedStop {
 public:
  /// `requested` may be set by anybody at any time (ProgressPage::stop_requested). Both must outlive this
  /// object.
  AgreedStop(ProcessGroup& group, const std::atomic<std::uint32_t>& requested);

  /// To be called by all ranks after each step. True on all of them: stop here. Sometimes a collective.
  [[nodiscard]] bool after_step();

 private:
  [[nodiscard]] std::int64_t steps_in_a_period() const;

  ProcessGroup& group_;
  const std::atomic<std::uint32_t>& requested_;
  std::int64_t interval_ = 1;
  std::int64_t steps_ = 0;  // since the last exchange
  std::chrono::steady_clock::time_point last_exchange_;
};

}  // namespace ddp::trainer
