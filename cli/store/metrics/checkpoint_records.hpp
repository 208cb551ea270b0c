#pragma once

#include <chrono>
#include <cstdint>
#include <istream>
#include <optional>
#include <vector>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// What metrics.jsonl tells of a checkpoint that was written beside the training.
struct CheckpointRecord {
  int attempt = 0;
  std::int64_t step = 0;
  std::chrono::duration<double> stall{};            ///< that the training waited for it
  std::chrono::duration<double> write{};            ///< until it was on disk, the stall not included
  std::chrono::system_clock::time_point time = {};  ///< when it was on disk
};

/// In the order of the lines; what is no such record is passed over.
[[nodiscard]] std::vector<CheckpointRecord> parse_checkpoint_records(std::istream& lines);

/// Empty where there is none. Reads the whole file.
[[nodiscard]] std::vector<CheckpointRecord> load_checkpoint_records(const RunFolder& folder);

/// What one checkpoint costs: medians. nullopt: there is none.
struct CheckpointCost {
  std::chrono::duration<double> stall{};
  std::chrono::duration<double> write{};
};

/// Of those that had not to wait for the write of the one before: how long that takes says how close they
/// were, and not what one costs. `last_step`, whose checkpoint stands still until it is written, is left out.
[[nodiscard]] std::optional<CheckpointCost> cost_of_checkpoint(const std::vector<CheckpointRecord>& records,
                                                               std::int64_t last_step);

}  // namespace ddp::cli
