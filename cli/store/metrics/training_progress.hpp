#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// How far a training is, as it last told.
struct TrainingProgress {
  std::string kind;                               ///< of the record: train or evaluate
  int attempt = 0;                                ///< that told it
  std::int64_t step = 0;                          ///< how many are done
  std::optional<std::int64_t> total_steps = {};   ///< of the whole run
  std::optional<std::int64_t> epoch = {};         ///< the one that the step is in, from 1
  std::optional<double> loss;                     ///< nullopt: not a finite number
  std::optional<double> accuracy = std::nullopt;  ///< the same
  std::optional<double> samples_per_second = {};  ///< of the newest record of kind train that tells it
  std::optional<double> training_loss = {};       ///< the same
};

/// The last record of metrics.jsonl, whichever attempt wrote it. Reads the end of the file only, however long
/// it is. nullopt when there is none.
[[nodiscard]] std::optional<TrainingProgress> load_training_progress(const RunFolder& folder);

}  // namespace ddp::cli
