#pragma once

#include <cstdint>

namespace ddp::cli {

/// The fewest steps in which a stop, a failure and an end have room.
inline constexpr std::int64_t kFewestSteps = 10;

/// What befalls the disturbed run of a rehearsal.
struct Disturbances {
  std::int64_t stop_step = 0;  ///< after it the stop signal is sent
  std::int64_t kill_step = 0;  ///< after it a rank is killed
  int kill_rank = 0;

  bool operator==(const Disturbances&) const = default;
};

/// The same ones for the same `seed`, on every machine. The stop comes between 15 and 35 % of `steps`, the
/// kill between 55 and 80 %: behind both there is training left. `steps` is at least kFewestSteps.
[[nodiscard]] Disturbances choose_disturbances(std::uint64_t seed, std::int64_t steps, int ranks);

}  // namespace ddp::cli
