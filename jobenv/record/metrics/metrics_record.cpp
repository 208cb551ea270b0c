#include "jobenv/record/metrics/metrics_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/lenient_fields.hpp"
#include "jobenv/record/fields/timestamp.hpp"

namespace ddp {
namespace {

using Record = MetricsRecord;

constexpr std::string_view kLineBegin = R"({"kind":")";

/// `time` stands before it, as it always has.
constexpr std::string_view kBehindTime = "total_steps";
constexpr auto kMetricsFields = std::to_array<MetricsField>({
    {"loss", &Record::loss},
    {"accuracy", &Record::accuracy},
    {"samples", &Record::samples},
    {"total_steps", &Record::total_steps},
    {"learning_rate", &Record::learning_rate},
    {"gradient_norm", &Record::gradient_norm},
    {"samples_per_second", &Record::samples_per_second},
    {"step_ms_p50", &Record::step_ms_p50},
    {"step_ms_p90", &Record::step_ms_p90},
    {"step_ms_p99", &Record::step_ms_p99},
    {"step_ms_max", &Record::step_ms_max},
    {"data_wait_ms", &Record::data_wait_ms},
    {"forward_ms", &Record::forward_ms},
    {"backward_ms", &Record::backward_ms},
    {"update_ms", &Record::update_ms},
    {"exposed_communication_ms", &Record::exposed_communication_ms},
    {"slowest_rank", &Record::slowest_rank},
    {"slowest_rank_ms", &Record::slowest_rank_ms},
    {"slowest_rank_data_wait_ms", &Record::slowest_rank_data_wait_ms},
    {"median_rank_ms", &Record::median_rank_ms},
    {"trained_ms", &Record::trained_ms},
    {"memory_bytes", &Record::memory_bytes},
    {"peak_memory_bytes", &Record::peak_memory_bytes},
    {"gpu_utilization", &Record::gpu_utilization},
    {"gpu_memory_bytes", &Record::gpu_memory_bytes},
    {"peak_gpu_memory_bytes", &Record::peak_gpu_memory_bytes},
    {"bytes", &Record::bytes},
    {"stall_ms", &Record::stall_ms},
    {"write_ms", &Record::write_ms},
    {"slowdown", &Record::slowdown},
});

constexpr const char* kRankMs = "rank_ms";                   // by rank
constexpr const char* kSlowestRanksMs = "slowest_ranks_ms";  // pairs of rank and time

/// What a line has besides the numbers.
constexpr auto kOtherKeys = std::to_array<std::string_view>(
    {"kind", "attempt", "step", "epoch", "time", "message", kRankMs, kSlowestRanksMs});

bool is_number_name(std::string_view name) {
  return std::ranges::find(kOtherKeys, name) == std::end(kOtherKeys);
}

bool is_other(std::string_view name) {
  return std::ranges::find(kMetricsFields, name, &MetricsField::name) == std::end(kMetricsFields) &&
         is_number_name(name);
}

void write_field(const MetricsField& field, const Record& record, nlohmann::ordered_json& line) {
  std::visit(
      [&](auto member) {
        if (const auto& value = record.*member) line[std::string(field.name)] = *value;
      },
      field.member);
}

bool is_of_all_ranks(const std::vector<RankStepTime>& times) {
  for (std::size_t rank = 0; rank < times.size(); ++rank)
    if (times[rank].rank != static_cast<int>(rank)) return false;
  return true;
}

/// Microseconds are enough, and keep the lines short.
double rounded(double ms) {
  return std::round(ms * 1e3) / 1e3;
}

void write_rank_times(const std::vector<RankStepTime>& times, nlohmann::ordered_json& line) {
  if (times.empty()) return;
  const bool all = is_of_all_ranks(times);
  auto& list = line[all ? kRankMs : kSlowestRanksMs] = nlohmann::ordered_json::array();
  for (const auto& time : times) {
    if (all)
      list.push_back(rounded(time.ms));
    else
      list.push_back({time.rank, rounded(time.ms)});
  }
}

nlohmann::json list_of(const nlohmann::json& fields, const char* name) {
  const auto found = fields.find(name);
  return found != fields.end() && found->is_array() ? *found : nlohmann::json::array();
}

/// What cannot be read is passed over.
std::vector<RankStepTime> rank_times_of(const nlohmann::json& fields) {
  std::vector<RankStepTime> times;
  int rank = 0;
  for (const auto& ms : list_of(fields, kRankMs)) {
    if (ms.is_number()) times.push_back({rank, ms.get<double>()});
    ++rank;
  }
  for (const auto& pair : list_of(fields, kSlowestRanksMs)) {
    if (pair.is_array() && pair.size() == 2 && pair[0].is_number_integer() && pair[1].is_number())
      times.push_back({pair[0].get<int>(), pair[1].get<double>()});
  }
  return times;
}

void take_value(const nlohmann::json& found, std::optional<double>& value) {
  if (found.is_number()) value = found.get<double>();
}

void take_value(const nlohmann::json& found, std::optional<std::int64_t>& value) {
  if (found.is_number_integer()) value = found.get<std::int64_t>();
}

}  // namespace

std::optional<double> MetricsField::of(const MetricsRecord& record) const {
  return std::visit(
      [&record](auto field) {
        const auto& value = record.*field;
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
      },
      member);
}

std::span<const MetricsField> metrics_fields() {
  return kMetricsFields;
}

std::vector<NamedNumber> numbers_of(const MetricsRecord& record) {
  std::vector<NamedNumber> numbers;
  for (const auto& field : kMetricsFields) {
    if (const auto value = field.of(record)) numbers.push_back({std::string(field.name), *value});
  }
  numbers.insert(numbers.end(), record.others.begin(), record.others.end());
  return numbers;
}

std::string render_metrics_record(const MetricsRecord& record) {
  nlohmann::ordered_json line = {{"kind", record.kind}, {"attempt", record.attempt}, {"step", record.step}};
  if (record.epoch) line["epoch"] = *record.epoch;
  for (const auto& field : kMetricsFields) {
    if (field.name == kBehindTime && record.time) line["time"] = render_time(*record.time);
    write_field(field, record, line);
  }
  write_rank_times(record.rank_ms, line);
  if (!record.message.empty()) line["message"] = record.message;
  for (const auto& other : record.others) line[other.name] = other.value;
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<MetricsRecord> parse_metrics_record(std::string_view line) {
  const auto fields = parse_json(line);
  if (!fields.is_object()) return std::nullopt;
  const auto attempt = number_of<int>(fields, "attempt");
  const auto step = number_of<std::int64_t>(fields, "step");
  if (!attempt || !step) return std::nullopt;
  MetricsRecord record{.kind = text_of(fields, "kind"),
                       .attempt = *attempt,
                       .step = *step,
                       .epoch = number_of<std::int64_t>(fields, "epoch"),
                       .time = time_of(fields, "time"),
                       .rank_ms = rank_times_of(fields),
                       .message = text_of(fields, "message")};
  for (const auto& field : kMetricsFields) {
    const auto found = fields.find(field.name);
    if (found == fields.end()) continue;
    std::visit([&](auto member) { take_value(*found, record.*member); }, field.member);
  }
  for (const auto& [name, value] : fields.items()) {  // sorted
    if (value.is_number() && is_other(name)) record.others.push_back({name, value.get<double>()});
    if (value.is_null() && is_number_name(name)) record.not_finite.push_back(name);
  }
  return record;
}

std::string_view kind_of_line(std::string_view line) {
  if (!line.starts_with(kLineBegin)) return {};
  line.remove_prefix(kLineBegin.size());
  const auto end = line.find('"');
  return end == line.npos ? std::string_view() : line.substr(0, end);
}

}  // namespace ddp
