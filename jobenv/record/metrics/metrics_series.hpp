#pragma once

#include <functional>
#include <istream>
#include <string_view>
#include <vector>

#include "jobenv/record/metrics/metrics_record.hpp"

namespace ddp {

/// A value of a number that records have, with its place in the training.
struct MetricsPoint {
  int attempt = 0;
  std::int64_t step = 0;
  std::optional<std::chrono::system_clock::time_point> time = {};
  double value = 0;
};

/// Calls `take` with all records of a kind, in the order of the file; an empty kind: of all. What cannot be
/// read is passed over.
void read_metrics(std::istream& lines, const std::function<void(const MetricsRecord& record)>& take,
                  std::string_view kind = {});
/// The same as a list. A long training has millions of records: a MetricsRecord of each takes gigabytes.
[[nodiscard]] std::vector<MetricsRecord> read_metrics(std::istream& lines, std::string_view kind = {});

/// The values of a field, `name` of metrics_fields(), in records of one kind. Where an attempt has done steps
/// again, its own values replace those of the attempts before it. Empty: no record has the field.
[[nodiscard]] std::vector<MetricsPoint> series_of(const std::vector<MetricsRecord>& records,
                                                  std::string_view name);

}  // namespace ddp
