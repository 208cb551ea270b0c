#pragma once

#include <vector>

#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp {

/// The records of one training out of those of its attempts, `records` in the order of the file: at most one
/// of a kind and step, sorted by step, then train, evaluate, checkpoint, other kinds. Steps that a later
/// attempt did again, or has still to do again, have no records of earlier attempts. Numbers that one attempt
/// logged for the same step in several records are in one. Records that hold no metrics (first_step, steps,
/// checkpoint_failed) are not in the result.
[[nodiscard]] std::vector<MetricsRecord> merge_attempts(std::vector<MetricsRecord> records);

}  // namespace ddp
