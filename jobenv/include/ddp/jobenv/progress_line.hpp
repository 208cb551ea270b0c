#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ddp {

/// How far a training is, for the last line of a terminal. What is not known is left out.
struct ProgressLine {
  std::int64_t step = 0;  ///< how many are done
  std::int64_t total_steps = 0;
  std::optional<std::chrono::seconds> remaining = {};  ///< until the last step is done
  std::optional<std::int64_t> epoch = {};              ///< from 1
  std::optional<double> loss = {};
  std::optional<double> samples_per_second = {};      ///< below 2^63
  std::optional<std::chrono::seconds> to_limit = {};  ///< until the time limit ends the run

  bool operator==(const ProgressLine&) const = default;
};

/// "[####......] 40%  step 80/200  1:30 left  epoch 2  loss 0.4321  12,345 samples/s  limit in 2:00:00", in
/// ASCII, `columns` wide at most and without an end. Where there is less room the bar narrows, then what
/// stands behind the time is left out, the last first, and then the bar. A limit that comes before the last
/// step stands behind the time: "1:30 left, limit in 1:00".
[[nodiscard]] std::string render_progress_line(const ProgressLine& line, std::size_t columns);

/// "12,345,678". Of numbers that are not negative.
[[nodiscard]] std::string with_thousands(std::int64_t number);

}  // namespace ddp
