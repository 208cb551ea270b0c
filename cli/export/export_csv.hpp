#pragma once

#include <span>

#include "cli/export/run_export.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {

/// RFC 4180, with a header. A row is about one run, step and kind. Columns: run_id; of sweeps their keys;
/// kind, attempt, step, epoch, time; all numbers of metrics_fields(), in their order; numbers under other
/// names, sorted. What a record does not have is empty.
void write_csv(std::span<const RunExport> exports, const PrintText& print);

}  // namespace ddp::cli
