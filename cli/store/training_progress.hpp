#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// How far a training is, as it last told.
struct TrainingProgress {
  std::string kind;  ///< of the record: train or evaluate
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::optional<double> loss;                     ///< nullopt: not a finite number
  std::optional<double> accuracy = std::nullopt;  ///< the same
};

/// The last record of metrics.jsonl, if it is one of `attempt`. Reads the end of the file only, however long
/// it is. nullopt when there is no such record.
[[nodiscard]] std::optional<TrainingProgress> load_training_progress(const RunFolder& folder, int attempt);

}  // namespace ddp::cli
