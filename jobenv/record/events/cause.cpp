#include "jobenv/record/events/cause.hpp"

#include "jobenv/record/fields/lenient_fields.hpp"
#include "jobenv/record/fields/timestamp.hpp"

namespace ddp {

nlohmann::json to_json(const Cause& cause) {
  nlohmann::json object = {{"what", cause.what}, {"host", cause.host}, {"rank", nullptr}};
  if (cause.since) object["since"] = render_time(*cause.since);
  if (!cause.stderr_tail.empty()) object["stderr_tail"] = cause.stderr_tail;
  if (!cause.rank) return object;
  object["rank"] = *cause.rank;
  if (cause.code) object["code"] = *cause.code;
  if (cause.signal) object["signal"] = *cause.signal;
  object["last_step"] = cause.last_step ? nlohmann::json(*cause.last_step) : nlohmann::json();
  object["phase"] = cause.phase;
  return object;
}

Cause parse_cause(const nlohmann::json& fields) {
  return {.rank = number_of<int>(fields, "rank"),
          .host = text_of(fields, "host"),
          .code = number_of<int>(fields, "code"),
          .signal = number_of<int>(fields, "signal"),
          .last_step = number_of<std::uint64_t>(fields, "last_step"),
          .phase = text_of(fields, "phase"),
          .stderr_tail = text_of(fields, "stderr_tail"),
          .what = text_of(fields, "what"),
          .since = time_of(fields, "since")};
}

}  // namespace ddp
