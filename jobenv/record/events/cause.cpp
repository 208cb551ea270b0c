#include "jobenv/record/events/cause.hpp"

#include <csignal>

#include "jobenv/record/events/event_fields.hpp"
#include "jobenv/record/last_words.hpp"

namespace ddp {

void Cause::describe(EventFields& fields) {
  fields.always({"what", "description of the failure"}, what);
  fields.always({"host", "host of the failure; empty: no particular host"}, host);
  fields.always({"rank", "rank that failed; null: no particular rank"}, rank);
  fields.if_set(
      {"since", "time when the rank ended or made its last progress, or when a lost agent was last heard"},
      since);
  fields.if_set({"stderr_tail", "last lines of stderr"}, stderr_tail);
  if (!rank) return;
  fields.if_set({"code", "exit code of the rank"}, code);
  fields.if_set({"signal", "signal that killed the rank"}, signal);
  fields.always({"last_step", "last step that the rank finished; null: unknown"}, last_step);
  fields.always({"phase", "phase of the rank at that time"}, phase);
}

nlohmann::json to_json(Cause cause) {
  EventWriter writer;
  cause.describe(writer);
  return std::move(writer.fields);
}

Cause parse_cause(const nlohmann::json& fields) {
  Cause cause;
  EventReader reader(fields);
  cause.describe(reader);
  return cause;
}

std::string likely_cause_of(const Cause& cause) {
  // Where somebody of the run has sent the signal, the words tell why.
  if (cause.signal == SIGKILL && cause.what.starts_with("was killed by "))
    return "the host or the job ran out of memory, or somebody killed the process";
  // Of a rank that hangs the last line may be anything.
  const bool has_given_up = !cause.rank || cause.signal || cause.code.value_or(0) != 0;
  return has_given_up ? find_last_words(cause.stderr_tail) : find_exception(cause.stderr_tail);
}

}  // namespace ddp
