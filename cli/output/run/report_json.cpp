#include "cli/output/run/report_json.hpp"

#include "cli/output/json_values.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

json cause_or_null(const std::optional<Cause>& cause) {
  if (!cause) return {};
  json fields = cause_to_json(*cause);
  for (const char* of_stderr : {"likely_cause", "stderr_tail"}) fields.erase(of_stderr);
  return fields;
}

json to_json(const AttemptReport& attempt) {
  return {{"number", attempt.number},
          {"outcome", text_or_null(attempt.outcome)},
          {"cause", cause_or_null(attempt.cause)},
          {"lost_steps", value_or_null(attempt.lost_steps)},
          {"detect_seconds", seconds_or_null(attempt.detected_after)},
          {"restart_seconds", seconds_or_null(attempt.stepped_again_after)}};
}

}  // namespace

json cause_to_json(const Cause& cause) {
  return {{"rank", value_or_null(cause.rank)},
          {"host", text_or_null(cause.host)},
          {"code", value_or_null(cause.code)},
          {"signal", value_or_null(cause.signal)},
          {"last_step", value_or_null(cause.last_step)},
          {"phase", text_or_null(cause.phase)},
          {"what", text_or_null(cause.what)},
          {"since", time_or_null(cause.since)},
          {"likely_cause", text_or_null(likely_cause_of(cause))},
          {"stderr_tail", cause.stderr_tail}};
}

json to_json(const RunReport& report) {
  json attempts = json::array();
  for (const auto& attempt : report.attempts) attempts.push_back(to_json(attempt));
  return {{"attempts", std::move(attempts)},
          {"failures", report.failures},
          {"lost_steps", value_or_null(report.lost_steps)},
          {"detect_seconds", seconds_or_null(report.detected_after)},
          {"restart_seconds", seconds_or_null(report.stepped_again_after)},
          {"trained_seconds", seconds_or_null(report.trained)},
          {"wall_clock_seconds", seconds_or_null(report.wall_clock)},
          {"effective_training_time_ratio", value_or_null(report.effective_ratio())}};
}

}  // namespace ddp::cli
