#include "jobenv/record/events/cause.hpp"

#include "jobenv/record/events/event_fields.hpp"

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

}  // namespace ddp
