#pragma once

#include "cli/export/run_export.hpp"

namespace ddp::cli {

inline MetricsRecord exported_record(std::string_view kind, std::int64_t step, double loss) {
  using std::chrono::seconds;
  return {.kind = std::string(kind),
          .attempt = 1,
          .step = step,
          .epoch = 2,
          .time = std::chrono::system_clock::time_point(seconds(step)),
          .loss = loss};
}

/// A point of a sweep over a text and a number.
inline RunExport exported_point(int number, nlohmann::json model, nlohmann::json rate) {
  return {.run_id = "sweep-1/" + std::to_string(number),
          .state = RunState::succeeded,
          .point = number,
          .values = {{"train.model", std::move(model)}, {"lr", std::move(rate)}},
          .records = {exported_record("train", 10, 0.5)}};
}

}  // namespace ddp::cli
