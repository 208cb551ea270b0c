#include "jobenv/record/metrics/merged_metrics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace ddp {
namespace {

constexpr auto kOrderOfKinds = std::to_array<std::string_view>(
    {metrics_kind::kTrain, metrics_kind::kEvaluate, metrics_kind::kCheckpoint});

bool has_metrics(std::string_view kind) {
  return kind != metrics_kind::kFirstStep && kind != metrics_kind::kSteps &&
         kind != metrics_kind::kCheckpointFailed;
}

/// Takes the numbers of a record that the same attempt wrote later about the same step.
void take_numbers(MetricsRecord& record, MetricsRecord&& later) {
  for (const auto& field : metrics_fields()) {
    std::visit(
        [&](auto member) {
          if (later.*member) record.*member = later.*member;
        },
        field.member);
  }
  if (!later.rank_ms.empty()) record.rank_ms = std::move(later.rank_ms);
  if (later.epoch) record.epoch = later.epoch;
  if (later.time) record.time = later.time;
  for (auto& other : later.others) {
    const auto place = std::ranges::lower_bound(record.others, other.name, {}, &NamedNumber::name);
    if (place != record.others.end() && place->name == other.name)
      place->value = other.value;
    else
      record.others.insert(place, std::move(other));
  }
}

class MergedAttempts {
 public:
  void add(MetricsRecord&& record) {
    if (record.attempt < newest_) return;  // written late: the newest attempt does it again
    if (record.attempt > newest_) begin_attempt(record.attempt);
    if (tells_begin(record)) drop_from(record.step);
    if (has_metrics(record.kind)) put(std::move(record));
  }

  std::vector<MetricsRecord> finish() && {
    std::vector<MetricsRecord> records;
    records.reserve(merged_.size());
    for (auto& [place, record] : merged_) records.push_back(std::move(record));
    return records;
  }

 private:
  /// Step, place of the kind, kind.
  using Place = std::tuple<std::int64_t, std::size_t, std::string>;

  static Place place_of(const MetricsRecord& record) {
    const auto kind = std::ranges::find(kOrderOfKinds, record.kind);
    return {record.step, static_cast<std::size_t>(kind - kOrderOfKinds.begin()), record.kind};
  }

  void begin_attempt(int attempt) {
    newest_ = attempt;
    begin_is_known_ = false;
  }

  /// The first step of an attempt has a record. Without it, its first training record tells where the attempt
  /// began. Before its first step a Python program does not know it: step is 0.
  bool tells_begin(const MetricsRecord& record) {
    const bool tells = record.kind == metrics_kind::kFirstStep ||
                       (record.kind == metrics_kind::kTrain && record.step > 0 && !begin_is_known_);
    begin_is_known_ = begin_is_known_ || tells;
    return tells;
  }

  /// What earlier attempts have told of this step, and of steps after it.
  void drop_from(std::int64_t step) {
    for (auto record = merged_.lower_bound({step, 0, {}}); record != merged_.end();)
      record = record->second.attempt < newest_ ? merged_.erase(record) : std::next(record);
  }

  void put(MetricsRecord&& record) {
    const auto [known, is_new] = merged_.try_emplace(place_of(record));
    if (is_new || known->second.attempt < record.attempt)
      known->second = std::move(record);
    else
      take_numbers(known->second, std::move(record));
  }

  std::map<Place, MetricsRecord> merged_;
  int newest_ = 0;
  bool begin_is_known_ = false;
};

}  // namespace

std::vector<MetricsRecord> merge_attempts(std::vector<MetricsRecord> records) {
  MergedAttempts merged;
  for (auto& record : records) merged.add(std::move(record));
  return std::move(merged).finish();
}

}  // namespace ddp
