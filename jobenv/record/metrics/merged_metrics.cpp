#include "jobenv/record/metrics/merged_metrics.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <tuple>

namespace ddp {
namespace {

using std::chrono::system_clock;

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

constexpr auto kOrderOfKinds = std::to_array<std::string_view>(
    {metrics_kind::kTrain, metrics_kind::kEvaluate, metrics_kind::kCheckpoint});

std::size_t order_of_kind(std::string_view kind) {
  return static_cast<std::size_t>(std::ranges::find(kOrderOfKinds, kind) - kOrderOfKinds.begin());
}

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

}  // namespace

MergedMetrics::MergedMetrics(std::initializer_list<MetricsRecord> records)
    : MergedMetrics(std::vector(records)) {}

MergedMetrics::MergedMetrics(const std::vector<MetricsRecord>& records) {
  for (const auto& record : records) add(record);
  finish();
}

void MergedMetrics::add(const MetricsRecord& record) {
  if (record.attempt < newest_) return;  // written late: the newest attempt does it again
  note_begin(record);
  if (has_metrics(record.kind)) pack(record);
}

/// The first step of an attempt has a record. Without it, its first training record tells where the attempt
/// began. Before its first step a Python program does not know it: step is 0.
void MergedMetrics::note_begin(const MetricsRecord& record) {
  if (record.attempt > newest_) begin_is_known_ = false;
  newest_ = record.attempt;
  const bool tells = record.kind == metrics_kind::kFirstStep ||
                     (record.kind == metrics_kind::kTrain && record.step > 0 && !begin_is_known_);
  if (!tells) return;
  begin_is_known_ = true;
  auto& begin = begins_of_attempts_.try_emplace(newest_, record.step).first->second;
  begin = std::min(begin, record.step);
}

void MergedMetrics::pack(const MetricsRecord& record) {
  packed_.push_back({.step = record.step,
                     .time = record.time ? record.time->time_since_epoch().count() : kNone,
                     .epoch = record.epoch.value_or(kNone),
                     .first_number = static_cast<std::uint32_t>(numbers_.size()),
                     .first_rank = static_cast<std::uint32_t>(ranks_.size()),
                     .attempt = record.attempt,
                     .kind = place_of(record.kind),
                     .message = place_of(record.message)});
  const auto add_number = [this](std::size_t name, std::uint64_t bits) {
    numbers_.push_back({static_cast<std::uint32_t>(name),
                        {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)}});
  };
  const auto fields = metrics_fields();
  for (std::size_t field = 0; field < fields.size(); ++field) {
    std::visit(
        [&](auto member) {
          if (const auto& value = record.*member) add_number(field, std::bit_cast<std::uint64_t>(*value));
        },
        fields[field].member);
  }
  for (const auto& other : record.others)
    add_number(fields.size() + place_of(other.name), std::bit_cast<std::uint64_t>(other.value));
  ranks_.insert(ranks_.end(), record.rank_ms.begin(), record.rank_ms.end());
}

MetricsRecord MergedMetrics::unpack(std::size_t place) const {
  const auto& packed = packed_[place];
  const bool is_last = place + 1 == packed_.size();
  MetricsRecord record{.kind = names_[packed.kind], .attempt = packed.attempt, .step = packed.step};
  if (packed.epoch != kNone) record.epoch = packed.epoch;
  if (packed.time != kNone) record.time = system_clock::time_point(system_clock::duration(packed.time));
  record.message = names_[packed.message];
  const auto fields = metrics_fields();
  const auto numbers_end = is_last ? numbers_.size() : packed_[place + 1].first_number;
  for (std::size_t at = packed.first_number; at < numbers_end; ++at) {
    const auto& [name, halves] = numbers_[at];
    const std::uint64_t bits = std::uint64_t{halves[1]} << 32 | halves[0];
    if (name >= fields.size()) {
      record.others.push_back({names_[name - fields.size()], std::bit_cast<double>(bits)});
      continue;
    }
    std::visit(
        [&](auto member) {
          using Value = typename std::decay_t<decltype(record.*member)>::value_type;
          record.*member = std::bit_cast<Value>(bits);
        },
        fields[name].member);
  }
  const auto ranks_end = is_last ? ranks_.size() : packed_[place + 1].first_rank;
  record.rank_ms.assign(ranks_.begin() + packed.first_rank,
                        ranks_.begin() + static_cast<std::ptrdiff_t>(ranks_end));
  return record;
}

std::uint32_t MergedMetrics::place_of(const std::string& name) {
  const auto [known, is_new] = places_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return known->second;
}

/// A later attempt did its step again, or has to.
bool MergedMetrics::is_lost(const Packed& record) const {
  const auto later = begins_of_attempts_.upper_bound(record.attempt);
  return later != begins_of_attempts_.end() && record.step >= later->second;
}

/// Of two attempts the newer one comes first.
bool MergedMetrics::comes_before(std::uint32_t left, std::uint32_t right) const {
  const auto place = [this](std::uint32_t at) {
    const auto& record = packed_[at];
    const auto& kind = names_[record.kind];
    return std::tuple(record.step, order_of_kind(kind), std::string_view(kind), -std::int64_t{record.attempt},
                      at);
  };
  return place(left) < place(right);
}

bool MergedMetrics::is_of_one_step(std::uint32_t left, std::uint32_t right) const {
  return packed_[left].step == packed_[right].step && packed_[left].kind == packed_[right].kind;
}

void MergedMetrics::finish() {
  // From here on the begin of an attempt is the lowest of its own and of all later ones.
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  for (auto attempt = begins_of_attempts_.rbegin(); attempt != begins_of_attempts_.rend(); ++attempt)
    attempt->second = lowest = std::min(lowest, attempt->second);
  for (std::uint32_t at = 0; at < packed_.size(); ++at)
    if (!is_lost(packed_[at])) order_.push_back(at);
  std::ranges::sort(order_, [this](auto left, auto right) { return comes_before(left, right); });
  for (std::uint32_t at = 0; at < order_.size(); ++at)
    if (at == 0 || !is_of_one_step(order_[at - 1], order_[at])) begins_.push_back(at);
}

MetricsRecord MergedMetrics::operator[](std::size_t index) const {
  const auto end = index + 1 == begins_.size() ? order_.size() : begins_[index + 1];
  std::size_t at = begins_[index];
  auto record = unpack(order_[at]);
  while (++at < end && packed_[order_[at]].attempt == record.attempt)
    take_numbers(record, unpack(order_[at]));
  return record;
}

}  // namespace ddp
