#include "jobenv/record/events/cause.hpp"

#include "jobenv/record/events/event_fields.hpp"

namespace ddp {

void Cause::describe(EventFields& fields) {
  fields.always({"what", "in words"}, what);
  fields.always({"host", "empty: no host in particular"}, host);
  fields.always({"rank", "the rank to blame; null: none"}, rank);
  fields.if_set({"since", "when the rank ended or last advanced, or a lost agent was last heard"}, since);
  fields.if_set({"stderr_tail", "the end of what was printed"}, stderr_tail);
  if (!rank) return;
  fields.if_set({"code", "exit code of the rank"}, code);
  fields.if_set({"signal", "that the rank was killed by"}, signal);
  fields.always({"last_step", "that the rank has finished; null: not known"}, last_step);
  fields.always({"phase", "that the rank was in"}, phase);
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
