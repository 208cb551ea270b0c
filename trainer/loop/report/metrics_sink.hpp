#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp::trainer {

/// Where the records of a training go. Not thread-safe.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  /// What to warn of, empty: nothing. A sink that cannot be written costs records, not the run.
  [[nodiscard]] virtual std::string write(const MetricsRecord& record) = 0;
};

/// Which training the records are about.
struct SinkPlace {
  std::filesystem::path run_dir;
  int attempt = 0;
  bool tensorboard = false;  ///< train.log.tensorboard
};

/// One of each row of the table that is wanted.
/// Throws std::runtime_error where one cannot be opened.
[[nodiscard]] std::vector<std::unique_ptr<MetricsSink>> open_metrics_sinks(const SinkPlace& place);

}  // namespace ddp::trainer
