#include "cli/report/page/page_data.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/report/text/number_text.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;
using std::chrono::system_clock;

json seconds_since(std::optional<system_clock::time_point> begin,
                   const std::optional<system_clock::time_point>& time) {
  if (!begin || !time) return {};
  return std::round(std::chrono::duration<double>(*time - *begin).count() * 10) / 10;
}

/// Of its newest submission, or where that is not known of its first record.
std::optional<system_clock::time_point> begin_of(const ReportedRun& run) {
  if (run.run.status.started) return run.run.status.started;
  for (const auto& records : run.series)
    if (!records.buckets.empty() && records.buckets.front().time) return records.buckets.front().time;
  return std::nullopt;
}

json axis_to_json(std::span<const Bucket> buckets, std::optional<system_clock::time_point> begin) {
  json axis = {{"step", json::array()},
               {"time", json::array()},
               {"records", json::array()},
               {"attempt", json::array()}};
  for (const auto& bucket : buckets) {
    axis["step"].push_back(bucket.step);
    axis["time"].push_back(seconds_since(begin, bucket.time));
    axis["records"].push_back(bucket.records);
    axis["attempt"].push_back(bucket.attempt);
  }
  return axis;
}

json list_of_values(const BucketValues& values, double BucketValue::*member) {
  json list = json::array();
  for (const auto& value : values) list.push_back(value ? json(round_for_plot((*value).*member)) : json());
  return list;
}

bool has_limits(const BucketValues& values) {
  return std::ranges::any_of(values,
                             [](const auto& value) { return value && value->lowest < value->highest; });
}

json line_to_json(const PlotLine& line, std::size_t axis, std::size_t most_buckets) {
  const auto values = join_values(line.values, line.buckets, most_buckets);
  json fields = {{"label", line.label},   {"colour", line.colour},
                 {"dashed", line.dashed}, {"joined", line.joined},
                 {"axis", axis},          {"mean", list_of_values(values, &BucketValue::mean)}};
  if (!has_limits(values)) return fields;
  fields["lowest"] = list_of_values(values, &BucketValue::lowest);
  fields["highest"] = list_of_values(values, &BucketValue::highest);
  return fields;
}

json heat_to_json(const ReportedRun& run) {
  const auto& times = run.rank_times;
  if (times.ranks.empty()) return {};
  json rows = json::array();
  for (const auto& row : times.ms) {
    json& list = rows.emplace_back(json::array());
    for (const auto& ms : row) list.push_back(ms ? json(round_for_plot(*ms)) : json());
  }
  return {
      {"ranks", times.ranks}, {"axis", axis_to_json(times.buckets, begin_of(run))}, {"ms", std::move(rows)}};
}

/// The step from which each attempt resumed, where that is known.
json resumed_to_json(const RunStatus& status) {
  json steps = json::object();
  for (const auto& attempt : status.attempts)
    if (attempt.resumed_from) steps[std::to_string(attempt.number)] = *attempt.resumed_from;
  return steps;
}

}  // namespace

json page_data(const ReportModel& model, std::span<const Plot> plots, std::size_t most_buckets) {
  json axes = json::array(), list = json::array();
  std::map<const Bucket*, std::size_t> known;
  for (const auto& plot : plots) {
    json lines = json::array();
    for (const auto& line : plot.lines) {
      const auto [place, is_new] = known.try_emplace(line.buckets.data(), axes.size());
      if (is_new)
        axes.push_back(
            axis_to_json(join_buckets(line.buckets, most_buckets), begin_of(model.runs[line.run])));
      lines.push_back(line_to_json(line, place->second, most_buckets));
    }
    list.push_back({{"id", plot.id},
                    {"title", plot.title},
                    {"unit", plot.unit},
                    {"stack", plot.form == PlotForm::stack},
                    {"from_zero", plot.from_zero},
                    {"share", plot.is_share},
                    {"lines", std::move(lines)}});
  }
  const bool alone = model.runs.size() == 1;
  return {{"axes", std::move(axes)},
          {"plots", std::move(list)},
          {"alone", alone},
          {"resumed", alone ? resumed_to_json(model.runs.front().run.status) : json()},
          {"heat", alone ? heat_to_json(model.runs.front()) : json()}};
}

std::size_t buckets_of_page(std::span<const Plot> plots) {
  constexpr std::size_t kOfAllLines = 48000, kFewest = 60;
  std::size_t lines = 0;
  for (const auto& plot : plots) lines += plot.lines.size();
  return lines == 0 ? kMostBuckets : std::clamp(kOfAllLines / lines, kFewest, kMostBuckets);
}

}  // namespace ddp::cli
