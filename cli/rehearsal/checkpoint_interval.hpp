#pragma once

#include <chrono>

namespace ddp::cli {

/// What a training pays for being safe, and for not being it.
struct FailureCosts {
  std::chrono::duration<double> stall{};    ///< of the training, by one checkpoint
  std::chrono::duration<double> write{};    ///< beside the training, until it counts
  std::chrono::duration<double> restart{};  ///< from a failure until the next attempt has done a step
  std::chrono::duration<double> mtbf{};     ///< mean time between failures of the whole job; more than 0
};

/// The time of training between two checkpoints that costs least, to first order: sqrt(2 δ M).
/// J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974.
[[nodiscard]] std::chrono::duration<double> young_interval(const FailureCosts& costs);

/// The same with the terms of higher order, which count where a stall is not short against the mean time
/// between failures. J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart
/// dumps", FGCS 22(3), 2006, equation 37.
[[nodiscard]] std::chrono::duration<double> daly_interval(const FailureCosts& costs);

/// What a failure takes back on average: half an interval, and what is done while a checkpoint is written.
[[nodiscard]] std::chrono::duration<double> mean_loss(std::chrono::duration<double> interval,
                                                      const FailureCosts& costs);
/// The failure comes just before the second checkpoint counts.
[[nodiscard]] std::chrono::duration<double> worst_loss(std::chrono::duration<double> interval,
                                                       const FailureCosts& costs);

/// The part of the time that is lost with a checkpoint each `interval`, to first order: the stalls, and after
/// each failure the mean loss and the restart. May exceed 1: then nothing is brought forward.
[[nodiscard]] double lost_fraction(std::chrono::duration<double> interval, const FailureCosts& costs);

}  // namespace ddp::cli
