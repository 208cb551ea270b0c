#include "cli/export/export_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/store/sweep_record.hpp"
#include "jobenv/record/fields/timestamp.hpp"

namespace ddp::cli {
namespace {

/// Appends rows of a table.
class CsvWriter {
 public:
  void add(std::string_view cell) {
    if (!row_is_new_) text_ += ',';
    row_is_new_ = false;
    if (cell.find_first_of(",\"\r\n") == cell.npos) {
      text_ += cell;
      return;
    }
    text_ += '"';
    for (const char each : cell) text_.append(each == '"' ? 2 : 1, each);
    text_ += '"';
  }
  void add(std::optional<double> number) { add(number ? fmt::format("{}", *number) : std::string()); }
  void add(std::int64_t number) { add(std::to_string(number)); }

  void end_row() {
    text_ += "\r\n";
    row_is_new_ = true;
  }

  [[nodiscard]] std::string finish() && { return std::move(text_); }

 private:
  std::string text_;
  bool row_is_new_ = true;
};

/// The names that programs have logged numbers under.
std::set<std::string> other_names(std::span<const RunExport> exports) {
  std::set<std::string> names;
  for (const auto& run : exports) {
    for (const auto& record : run.records) {
      for (const auto& other : record.others) names.insert(other.name);
    }
  }
  return names;
}

/// The keys of sweeps, in the order in which runs name them.
std::vector<std::string> sweep_keys(std::span<const RunExport> exports) {
  std::vector<std::string> keys;
  for (const auto& run : exports) {
    for (const auto& [key, value] : run.values)
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

/// What the columns between those that every record has are about.
struct CsvColumns {
  std::vector<std::string> keys;
  std::set<std::string> others;
};

void add_header(CsvWriter& table, const CsvColumns& columns) {
  table.add("run_id");
  for (const auto& key : columns.keys) table.add(key);
  for (const auto* name : {"kind", "attempt", "step", "epoch", "time"}) table.add(name);
  for (const auto& field : metrics_fields()) table.add(field.name);
  for (const auto& name : columns.others) table.add(name);
  table.end_row();
}

std::string value_of_key(const RunExport& run, const std::string& key) {
  const auto value = std::ranges::find(run.values, key, &std::pair<std::string, nlohmann::json>::first);
  return value == run.values.end() ? "" : render_sweep_value(value->second);
}

std::optional<double> other_of(const MetricsRecord& record, const std::string& name) {
  const auto other = std::ranges::find(record.others, name, &NamedNumber::name);
  return other == record.others.end() ? std::nullopt : std::optional(other->value);
}

void add_row(CsvWriter& table, const RunExport& run, const MetricsRecord& record, const CsvColumns& columns) {
  table.add(run.run_id);
  for (const auto& key : columns.keys) table.add(value_of_key(run, key));
  table.add(record.kind);
  table.add(std::int64_t{record.attempt});
  table.add(record.step);
  table.add(record.epoch ? std::to_string(*record.epoch) : std::string());
  table.add(record.time ? render_time(*record.time) : std::string());
  for (const auto& field : metrics_fields()) table.add(field.of(record));
  for (const auto& name : columns.others) table.add(other_of(record, name));
  table.end_row();
}

}  // namespace

std::string render_csv(std::span<const RunExport> exports) {
  CsvWriter table;
  if (exports.empty()) return {};
  const CsvColumns columns{sweep_keys(exports), other_names(exports)};
  add_header(table, columns);
  for (const auto& run : exports) {
    for (const auto& record : run.records) add_row(table, run, record, columns);
  }
  return std::move(table).finish();
}

}  // namespace ddp::cli
