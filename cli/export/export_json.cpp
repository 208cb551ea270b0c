#include "cli/export/export_json.hpp"

#include <map>

#include "jobenv/record/fields/timestamp.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

struct Point {
  std::uint32_t record = 0;  ///< its place
  double value = 0;
};

struct Series {
  std::string kind, metric;
  std::vector<Point> points = {};
};

/// In the order in which they begin.
std::vector<Series> collect_series(const MergedMetrics& records) {
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  std::vector<Series> list;
  for (std::uint32_t at = 0; at < records.size(); ++at) {
    const auto record = records[at];
    for (const auto& [metric, value] : numbers_of(record)) {
      const auto [place, is_new] = places.try_emplace({record.kind, metric}, list.size());
      if (is_new) list.push_back({record.kind, metric});
      list[place->second].points.push_back({at, value});
    }
  }
  return list;
}

/// ASCII, so that no name controls a terminal.
std::string render(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

template <class Render>
void write_list(std::string_view name, const std::vector<Point>& points, Render render_point,
                const PrintText& print) {
  constexpr std::size_t kPortion = 65536;
  std::string text = ",\"" + std::string(name) + "\":[";
  for (const auto& point : points) {
    if (&point != &points.front()) text += ',';
    text += render_point(point);
    if (text.size() < kPortion) continue;
    print(text);
    text.clear();
  }
  print(text + "]");
}

void write_series(const Series& series, const MergedMetrics& records, const PrintText& print) {
  const auto write_field = [&](std::string_view name, auto field) {
    write_list(
        name, series.points, [&](const Point& point) { return field(records[point.record]); }, print);
  };
  print("{\"kind\":" + render(series.kind) + ",\"metric\":" + render(series.metric));
  write_field("step", [](const MetricsRecord& record) { return std::to_string(record.step); });
  write_field("epoch", [](const MetricsRecord& record) {
    return record.epoch ? std::to_string(*record.epoch) : std::string("null");
  });
  write_field("attempt", [](const MetricsRecord& record) { return std::to_string(record.attempt); });
  write_field("time", [](const MetricsRecord& record) {
    return record.time ? '"' + render_time(*record.time) + '"' : std::string("null");
  });
  write_list(
      "value", series.points, [](const Point& point) { return render(point.value); }, print);
  print("}");
}

}  // namespace

void write_json(const RunExport& run, const PrintText& print) {
  json values = json::object();
  for (const auto& [key, value] : run.values) values[key] = value;
  print("{\"schema\":\"ddpsubmit.export.v1\",\"run_id\":" + render(run.run_id) + ",\"state\":" +
        render(name_of(run.state)) + ",\"point\":" + render(run.point ? json(*run.point) : json()) +
        ",\"values\":" + render(values) + ",\"series\":[");
  const auto all = collect_series(run.records);
  for (const auto& series : all) {
    if (&series != &all.front()) print(",");
    write_series(series, run.records, print);
  }
  print("]}\n");
}

}  // namespace ddp::cli
