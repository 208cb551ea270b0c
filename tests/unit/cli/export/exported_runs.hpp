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

/// 20 records of 100,000 numbers each: in a time that grows as the square of the names, an export takes
/// minutes.
inline RunExport exported_run_of_many_names() {
  auto record = exported_record("train", 1, 0.5);
  for (int name = 100'000; name < 200'000; ++name) record.others.push_back({"m" + std::to_string(name), 1});
  std::vector<MetricsRecord> records(20, record);
  for (int step = 0; step < 20; ++step) records[static_cast<std::size_t>(step)].step = step;
  return {.run_id = "mlp-1", .records = records};
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
