#include "jobenv/record/metrics/metrics_series.hpp"

#include <algorithm>
#include <string>

#include "jobenv/record/files/file_stream.hpp"

namespace ddp {

void read_metrics(std::istream& lines, const std::function<void(const MetricsRecord& record)>& take,
                  std::string_view kind) {
  for (std::string line; take_line(lines, line);) {
    const auto begins = kind_of_line(line);  // to read all lines takes seconds after a long training
    if (!kind.empty() && !begins.empty() && begins != kind) continue;
    const auto record = parse_metrics_record(line);
    if (record && (kind.empty() || record->kind == kind)) take(*record);
  }
}

std::vector<MetricsRecord> read_metrics(std::istream& lines, std::string_view kind) {
  std::vector<MetricsRecord> records;
  read_metrics(
      lines, [&records](const MetricsRecord& record) { records.push_back(record); }, kind);
  return records;
}

std::vector<MetricsPoint> series_of(const std::vector<MetricsRecord>& records, std::string_view name) {
  const auto fields = metrics_fields();
  const auto field = std::ranges::find(fields, name, &MetricsField::name);
  std::vector<MetricsPoint> points;
  if (field == fields.end()) return points;
  int newest = 0;  // attempt: what an older one writes late has been done again
  for (const auto& record : records) {
    if (record.attempt < newest) continue;
    newest = record.attempt;
    while (!points.empty() && points.back().attempt < newest && points.back().step >= record.step)
      points.pop_back();
    if (const auto value = field->of(record)) points.push_back({newest, record.step, record.time, *value});
  }
  return points;
}

}  // namespace ddp
