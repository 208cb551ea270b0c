#include "jobenv/record/metrics/metrics_series.hpp"

#include <algorithm>
#include <string>

namespace ddp {

std::vector<MetricsRecord> read_metrics(std::istream& lines, std::string_view kind) {
  std::vector<MetricsRecord> records;
  for (std::string line; std::getline(lines, line);) {
    const auto begins = kind_of_line(line);  // to read all lines takes seconds after a long training
    if (!kind.empty() && !begins.empty() && begins != kind) continue;
    auto record = parse_metrics_record(line);
    if (record && (kind.empty() || record->kind == kind)) records.push_back(std::move(*record));
  }
  return records;
}

std::vector<MetricsPoint> series_of(const std::vector<MetricsRecord>& records, std::string_view name) {
  const auto fields = metrics_fields();
  const auto field = std::ranges::find(fields, name, &MetricsField::name);
  std::vector<MetricsPoint> points;
  if (field == fields.end()) return points;
  for (const auto& record : records) {
    const auto value = field->of(record);
    if (!value) continue;
    while (!points.empty() && points.back().attempt < record.attempt && points.back().step >= record.step)
      points.pop_back();
    points.push_back({record.attempt, record.step, record.time, *value});
  }
  return points;
}

}  // namespace ddp
