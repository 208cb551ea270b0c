#include "jobenv/agent/controller/run_end.hpp"

#include <array>

namespace ddp::agent {
Cause cause_of(const Failure& failure) {
  Cause cause{
      .host = failure.host, .stderr_tail = failure.output_tail, .what = failure.what, .since = failure.since};
  if (!failure.rank) return cause;
  const ExitRecord& record = *failure.rank;
  cause.rank = record.rank;
  cause.code = record.code;
  cause.signal = record.signal;
  cause.last_step = record.last_step;
  cause.phase = record.phase.text();
  cause.stderr_tail = record.stderr_tail;
  return cause;
}

std::string_view name_of(StopReason reason) {
  constexpr std::array<std::string_view, 8> kNames = {"cancel",      "interrupt",          "time_limit",
                                                      "preempted",   "detached_submitter", "requeued",
                                                      "node_failed", "taken_back"};
  return kNames.at(static_cast<std::size_t>(reason));
}

RunEnd make_early_failure(const std::string& message, const std::string& host) {
  return {RunState::failed, 1, message, Failure{message, Phrase::statement, host, std::nullopt}};
}

}  // namespace ddp::agent
