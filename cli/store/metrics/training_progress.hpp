#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// A metric as a training last told it.
struct ToldMetric {
  std::optional<double> value;  ///< nullopt: not a finite number
  std::int64_t step = 0;        ///< that the record with it is of
  std::string kind;             ///< of that record: train or evaluate

  bool operator==(const ToldMetric&) const = default;
};

/// A checkpoint that could not be written; the training goes on without it.
struct UnwrittenCheckpoint {
  std::int64_t step = 0;
  std::string reason;
};

/// How far a training is, as it last told.
struct TrainingProgress {
  std::string kind;                               ///< of the newest record that tells a loss, if one does
  int attempt = 0;                                ///< that told it
  std::int64_t step = 0;                          ///< how many are done
  std::optional<std::int64_t> total_steps = {};   ///< of the whole run
  std::optional<std::int64_t> epoch = {};         ///< the one that the step is in, from 1
  std::optional<double> loss;                     ///< as last told; nullopt: not a finite number, or none
  std::optional<double> accuracy = std::nullopt;  ///< the same
  std::optional<double> samples_per_second = {};  ///< of the newest record of kind train that tells it
  std::optional<double> training_loss = {};       ///< the same
  std::map<std::string, ToldMetric> metrics =
      {};  ///< loss, accuracy, and those of the program's own, by name
  std::optional<UnwrittenCheckpoint> failed_checkpoint = {};  ///< the newest one; nullopt: it was written
};

/// The last record of metrics.jsonl, whichever attempt wrote it, with what the records before it have told
/// last. Reads the end of the file only, however long it is;
/// a checkpoint that failed longer ago is not told. nullopt when there is none.
[[nodiscard]] std::optional<TrainingProgress> load_training_progress(const RunFolder& folder);

}  // namespace ddp::cli
