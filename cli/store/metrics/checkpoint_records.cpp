#include "cli/store/metrics/checkpoint_records.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "jobenv/record/files/file_stream.hpp"
#include "jobenv/record/lenient_fields.hpp"
#include "jobenv/record/timestamp.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;
using Seconds = std::chrono::duration<double>;

std::optional<Seconds> milliseconds_of(const json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_number() || found->get<double>() < 0) return std::nullopt;
  return Seconds(found->get<double>() / 1e3);
}

std::optional<CheckpointRecord> parse_record(const std::string& line) {
  const auto record = json::parse(line, nullptr, false);
  if (!record.is_object() || text_of(record, "kind") != "checkpoint") return std::nullopt;
  const auto attempt = number_of<int>(record, "attempt");
  const auto step = number_of<std::int64_t>(record, "step");
  const auto stall = milliseconds_of(record, "stall_ms");
  const auto write = milliseconds_of(record, "write_ms");
  const auto time = parse_time(text_of(record, "time"));
  if (!attempt || !step || !stall || !write || !time) return std::nullopt;
  return CheckpointRecord{*attempt, *step, *stall, *write, *time};
}

/// `before` is of the same attempt.
bool has_waited(const CheckpointRecord& record, const CheckpointRecord& before) {
  return record.time - before.time < record.stall + record.write;
}

Seconds median_of(std::vector<CheckpointRecord> records, Seconds CheckpointRecord::*time) {
  const auto middle = records.begin() + std::ssize(records) / 2;
  std::ranges::nth_element(records, middle, {}, time);
  return (*middle).*time;
}

}  // namespace

std::vector<CheckpointRecord> parse_checkpoint_records(std::istream& lines) {
  std::vector<CheckpointRecord> records;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(R"({"kind":"checkpoint",)")) continue;  // most lines are of another kind
    if (auto record = parse_record(line)) records.push_back(*record);
  }
  return records;
}

std::vector<CheckpointRecord> load_checkpoint_records(const RunFolder& folder) {
  FileStream file(folder.metrics());
  return parse_checkpoint_records(file);
}

std::optional<CheckpointCost> cost_of_checkpoint(const std::vector<CheckpointRecord>& records,
                                                 std::int64_t last_step) {
  std::vector<CheckpointRecord> counted;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool follows = i > 0 && records[i - 1].attempt == records[i].attempt;
    if (records[i].step == last_step || (follows && has_waited(records[i], records[i - 1]))) continue;
    counted.push_back(records[i]);
  }
  if (counted.empty()) return std::nullopt;
  return CheckpointCost{median_of(counted, &CheckpointRecord::stall),
                        median_of(counted, &CheckpointRecord::write)};
}

}  // namespace ddp::cli
