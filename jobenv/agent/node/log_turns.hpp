#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "jobenv/record/log_order.hpp"

namespace ddp::agent {

/// Tells when the two logs of a rank take turns in growing, so that their order can be noted. Nothing is to
/// be noted for a rank that prints into one of them only, or first to stdout and then to stderr: that is how
/// they are read without a note. Has no clock.
class LogTurns {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// So many turns may be noted at any time; then each such number doubles the pause between two of them, so
  /// that the notes of a rank that takes turns for a week are less than 3 MiB.
  static constexpr std::size_t kNotesPerPause = 4096;
  static constexpr std::chrono::milliseconds kPause{50};

  /// What the logs hold now; the sizes to note, which are those of the look before, or nullopt.
  [[nodiscard]] std::optional<LogSizes> look(const LogSizes& now, Time time);

 private:
  [[nodiscard]] std::chrono::milliseconds pause() const;

  LogSizes seen_;
  LogSizes noted_;
  Time noted_at_;
  std::size_t notes_ = 0;
};

}  // namespace ddp::agent
