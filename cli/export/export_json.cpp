#include "cli/export/export_json.hpp"

#include <chrono>
#include <map>
#include <optional>

#include "jobenv/record/fields/timestamp.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

/// Where the numbers of a record stand.
struct Place {
  std::int64_t step = 0;
  std::optional<std::int64_t> epoch;
  int attempt = 0;
  std::optional<std::chrono::system_clock::time_point> time;
};

struct Point {
  std::uint32_t place = 0;
  double value = 0;
};

struct Series {
  std::string kind, metric;
  std::vector<Point> points = {};
};

/// A number of a long training takes the sixteen bytes of a Point.
struct AllSeries {
  std::vector<Place> places;
  std::vector<Series> list;  ///< in the order in which they begin
};

AllSeries collect_series(const MergedMetrics& records) {
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;
  AllSeries all;
  for (const auto& record : records) {
    for (const auto& [metric, value] : numbers_of(record)) {
      const auto [number, is_new] = numbers.try_emplace({record.kind, metric}, all.list.size());
      if (is_new) all.list.push_back({record.kind, metric});
      all.list[number->second].points.push_back({static_cast<std::uint32_t>(all.places.size()), value});
    }
    all.places.push_back({record.step, record.epoch, record.attempt, record.time});
  }
  return all;
}

std::string render(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <class Render>
void write_list(std::string_view name, const std::vector<Point>& points, Render render_point,
                const PrintText& print) {
  constexpr std::size_t kPortion = 65536;
  std::string text = "\"" + std::string(name) + "\":[";
  for (const auto& point : points) {
    if (&point != &points.front()) text += ',';
    text += render_point(point);
    if (text.size() < kPortion) continue;
    print(text);
    text.clear();
  }
  print(text + "]");
}

void write_series(const Series& series, const std::vector<Place>& places, const PrintText& print) {
  const auto write_field = [&](std::string_view name, auto field) {
    write_list(
        name, series.points, [&](const Point& point) { return field(places[point.place]); }, print);
  };
  print("{");
  write_field("attempt", [](const Place& place) { return std::to_string(place.attempt); });
  print(",");
  write_field("epoch", [](const Place& place) {
    return place.epoch ? std::to_string(*place.epoch) : std::string("null");
  });
  print(",\"kind\":" + render(series.kind) + ",\"metric\":" + render(series.metric) + ",");
  write_field("step", [](const Place& place) { return std::to_string(place.step); });
  print(",");
  write_field("time", [](const Place& place) {
    return place.time ? '"' + render_time(*place.time) + '"' : std::string("null");
  });
  print(",");
  write_list(
      "value", series.points, [](const Point& point) { return render(point.value); }, print);
  print("}");
}

}  // namespace

void write_json(const RunExport& run, const PrintText& print) {
  json values = json::object();
  for (const auto& [key, value] : run.values) values[key] = value;
  print("{\"schema\":\"ddpsubmit.export.v1\",\"point\":" + render(run.point ? json(*run.point) : json()) +
        ",\"run_id\":" + render(run.run_id) + ",\"series\":[");
  const auto all = collect_series(run.records);
  for (const auto& series : all.list) {
    if (&series != &all.list.front()) print(",");
    write_series(series, all.places, print);
  }
  print("],\"state\":" + render(name_of(run.state)) + ",\"values\":" + render(values) + "}\n");
}

}  // namespace ddp::cli
