#include <cmath>

#include "cli/output/json_values.hpp"
#include "cli/rehearsal/rehearsal_text.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

json to_json(const StopReport& stop) {
  return {{"signal", stop.signal},
          {"seen_step", stop.seen_step},
          {"last_step", value_or_null(stop.last_step)},
          {"lost_steps", value_or_null(stop.lost_steps)},
          {"stop_seconds", seconds_or_null(stop.stopped_after)},
          {"restart_seconds", seconds_or_null(stop.stepped_again_after)}};
}

json to_json(const KillReport& kill) {
  return {{"rank", kill.rank},
          {"seen_step", kill.seen_step},
          {"last_step", value_or_null(kill.last_step)},
          {"lost_steps", value_or_null(kill.lost_steps)},
          {"detect_seconds", seconds_or_null(kill.detected_after)},
          {"restart_seconds", seconds_or_null(kill.stepped_again_after)}};
}

json to_json(const ResultComparison& result) {
  json differences = json::array();
  for (const auto& [file, tensor, offset] : result.differences)
    differences.push_back(
        {{"file", file}, {"tensor", text_or_null(tensor)}, {"byte", value_or_null(offset)}});
  return {{"equal", result.equal()},
          {"files", result.files},
          {"differences", std::move(differences)},
          {"extra", result.extra}};
}

/// `interval` in time, and what a failure costs with it.
json interval_fields(std::chrono::duration<double> interval, double steps, const RehearsalReport& report) {
  json fields = {{"seconds", interval.count()},
                 {"steps", steps},
                 {"mean_lost_seconds", nullptr},
                 {"mean_lost_steps", nullptr},
                 {"lost_fraction", nullptr}};
  const auto costs = report.costs();
  if (!costs) return fields;
  fields["mean_lost_seconds"] = mean_loss(interval, *costs).count();
  fields["mean_lost_steps"] = mean_loss(interval, *costs) / report.step;
  fields["lost_fraction"] = lost_fraction(interval, *costs);
  return fields;
}

json recommended_or_null(const RehearsalReport& report) {
  const auto interval = recommend_interval(report);
  if (!interval) return {};
  const auto costs = *report.costs();
  json fields = interval_fields(*interval, std::floor(*interval / report.step), report);
  fields["key"] = render_interval_key(*interval);
  fields["young_seconds"] = young_interval(costs).count();
  fields["daly_seconds"] = daly_interval(costs).count();
  return fields;
}

/// What is known of a training alone.
json interval_advice(const RehearsalReport& report) {
  const auto costs = report.costs();
  json configured = interval_fields(report.configured->time, report.configured->steps, report);
  configured["key"] = text_or_null(report.configured->key);
  return {{"job_steps", report.steps_of_job},
          {"costs",
           {{"step_seconds", report.step.count()},
            {"stall_seconds", costs ? json(costs->stall.count()) : json()},
            {"write_seconds", costs ? json(costs->write.count()) : json()},
            {"restart_seconds", costs ? json(costs->restart.count()) : json()}}},
          {"mtbf",
           {{"seconds", report.mtbf.count()},
            {"source", report.mtbf_source == MtbfSource::option ? "--mtbf" : "default"}}},
          {"configured", std::move(configured)},
          {"recommended", recommended_or_null(report)}};
}

json no_interval_advice() {
  return {{"job_steps", nullptr},
          {"costs", nullptr},
          {"mtbf", nullptr},
          {"configured", nullptr},
          {"recommended", nullptr}};
}

}  // namespace

json to_json(const RehearsalReport& report) {
  json value = report.configured ? interval_advice(report) : no_interval_advice();
  value.update({{"seed", report.seed},
                {"ranks", report.ranks},
                {"job_ranks", report.ranks_of_job},
                {"steps", report.steps},
                {"stop", to_json(report.stop)},
                {"kill", to_json(report.kill)},
                {"result", to_json(report.result)}});
  return value;
}

}  // namespace ddp::cli
