#pragma once

#include "cli/export/run_export.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {

/// An object on one line: schema, run_id, state, point, values, and series: one of each kind and metric, with
/// lists of the same length for step, epoch, attempt, time and value.
void write_json(const RunExport& run, const PrintText& print);

}  // namespace ddp::cli
