#pragma once

#include "trainer/loop/report/metrics_sink.hpp"

namespace ddp::trainer {

/// Appends to metrics.jsonl, a line a record.
/// Throws std::runtime_error when that cannot be opened, or is no regular file.
[[nodiscard]] std::unique_ptr<MetricsSink> open_jsonl_sink(const std::filesystem::path& run_dir);

}  // namespace ddp::trainer
