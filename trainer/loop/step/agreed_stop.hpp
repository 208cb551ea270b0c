#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
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
/// ask again. The number is agreed too, so that ranks of unequal speed meet at the same step.
class AgreedStop {
 public:
  /// `asked` tells whether this rank was asked to stop; it and `group` must outlive this object. Without
  /// `checkpoint_every` no checkpoint is ever due.
  AgreedStop(ProcessGroup& group, std::function<bool()> asked,
             std::optional<std::chrono::seconds> checkpoint_every);

  /// To be called by all ranks after each step; the answer is the same on all of them. Sometimes a
  /// collective.
  [[nodiscard]] Agreement after_step();

  /// A checkpoint was begun, for whatever reason: the next one is due `checkpoint_every` from now.
  void checkpointed() { last_checkpoint_ = std::chrono::steady_clock::now(); }

 private:
  [[nodiscard]] bool checkpoint_due() const;
  [[nodiscard]] std::int64_t steps_in_a_period() const;

  ProcessGroup& group_;
  std::function<bool()> asked_;
  std::optional<std::chrono::seconds> checkpoint_every_;
  std::chrono::steady_clock::time_point last_checkpoint_;
  std::int64_t interval_ = 1;
  std::int64_t steps_ = 0;  // since the last exchange
  std::chrono::steady_clock::time_point last_exchange_;
};

}  // namespace ddp::trainer
