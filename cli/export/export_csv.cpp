#include "cli/export/export_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/store/sweep_record.hpp"
#include "jobenv/record/fields/timestamp.hpp"

namespace ddp::cli {
namespace {

/// Prints rows of a table, many at a time.
class CsvWriter {
 public:
  explicit CsvWriter(const PrintText& print) : print_(print) {}

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
    if (text_.size() >= kPortion) flush();
  }

  void flush() {
    print_(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t kPortion = 65536;

  const PrintText& print_;
  std::string text_;
  bool row_is_new_ = true;
};

/// The names that programs have logged numbers under.
std::set<std::string> other_names(std::span<const RunExport> exports) {
  std::set<std::string> names;
  for (const auto& run : exports) {
    for (const auto record : run.records)
      for (const auto& other : record.others) names.insert(other.name);
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

std::vector<std::string> values_of(const RunExport& run, const std::vector<std::string>& keys) {
  std::vector<std::string> values;
  for (const auto& key : keys) {
    const auto value = std::ranges::find(run.values, key, &std::pair<std::string, nlohmann::json>::first);
    values.push_back(value == run.values.end() ? "" : render_sweep_value(value->second));
  }
  return values;
}

/// Both are sorted by name.
void add_others(CsvWriter& table, const std::vector<NamedNumber>& others,
                const std::set<std::string>& names) {
  auto other = others.begin();
  for (const auto& name : names) {
    const bool is_told = other != others.end() && other->name == name;
    table.add(is_told ? std::optional(other->value) : std::nullopt);
    if (is_told) ++other;
  }
}

void add_row(CsvWriter& table, const std::string& run_id, const std::vector<std::string>& values,
             const MetricsRecord& record, const CsvColumns& columns) {
  table.add(run_id);
  for (const auto& value : values) table.add(value);
  table.add(record.kind);
  table.add(std::int64_t{record.attempt});
  table.add(record.step);
  table.add(record.epoch ? std::to_string(*record.epoch) : std::string());
  table.add(record.time ? render_time(*record.time) : std::string());
  for (const auto& field : metrics_fields()) table.add(field.of(record));
  add_others(table, record.others, columns.others);
  table.end_row();
}

}  // namespace

void write_csv(std::span<const RunExport> exports, const PrintText& print) {
  if (exports.empty()) return;
  CsvWriter table(print);
  const CsvColumns columns{sweep_keys(exports), other_names(exports)};
  add_header(table, columns);
  for (const auto& run : exports) {
    const auto values = values_of(run, columns.keys);
    for (const auto record : run.records) add_row(table, run.run_id, values, record, columns);
  }
  table.flush();
}

}  // namespace ddp::cli
