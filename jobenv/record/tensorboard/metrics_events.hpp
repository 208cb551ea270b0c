#pragma once

#include <string>
#include <string_view>

#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::tensorboard {

/// train/loss, test/accuracy, checkpoint/write_ms: "test" stands for the kind evaluate.
[[nodiscard]] std::string tag_of(std::string_view kind, std::string_view metric);

[[nodiscard]] double seconds_of(std::chrono::system_clock::time_point time);

/// The scalars of a record; empty: it has none. `total_steps` is left out: it is the same in all records.
[[nodiscard]] std::string render_metrics(const MetricsRecord& record);

}  // namespace ddp::tensorboard
