#include "jobenv/agent/controller/run_end.hpp"

#include <array>

#include "jobenv/record/timestamp.hpp"

namespace ddp::agent {
namespace {

using nlohmann::json;

}  // namespace

json to_json(const Cause& cause) {
  json object = {{"what", cause.what}, {"host", cause.host}, {"rank", nullptr}};
  if (cause.since) object["since"] = render_time(*cause.since);
  if (!cause.output_tail.empty()) object["stderr_tail"] = cause.output_tail;
  if (!cause.rank) return object;
  const ExitRecord& record = *cause.rank;
  object["rank"] = record.rank;
  if (record.code) object["code"] = *record.code;
  if (record.signal) object["signal"] = *record.signal;
  object["last_step"] = record.last_step ? json(*record.last_step) : json();
  object["phase"] = ddp::name_of(record.phase);
  object["stderr_tail"] = record.stderr_tail;
  return object;
}

std::string_view name_of(StopReason reason) {
  constexpr std::array<std::string_view, 8> kNames = {"cancel",      "interrupt",          "time_limit",
                                                      "preempted",   "detached_submitter", "requeued",
                                                      "node_failed", "taken_back"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::string_view name_of(RunState state) {
  constexpr std::array<std::string_view, 6> kNames = {"succeeded", "failed",    "timed_out",
                                                      "preempted", "cancelled", "requeued"};
  return kNames.at(static_cast<std::size_t>(state));
}

json to_json(const RunEnd& end) {
  return {{"state", name_of(end.state)},
          {"exit_code", end.exit_code},
          {"message", end.message},
          {"cause", end.cause ? to_json(*end.cause) : json()}};
}

RunEnd make_early_failure(const std::string& message, const std::string& host) {
  return {RunState::failed, 1, message, Cause{message, Phrase::statement, host, std::nullopt}};
}

}  // namespace ddp::agent
