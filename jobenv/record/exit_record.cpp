#include "jobenv/record/exit_record.hpp"

#include <array>

#include "jobenv/record/json_fields.hpp"
#include "jobenv/record/timestamp.hpp"

namespace ddp {
namespace {

constexpr const char* kExitSchema = "ddpsubmit.exit_record.v1";

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

std::string_view name_of(EndedBy ended_by) {
  return ended_by == EndedBy::itself ? "itself" : "agent";
}

nlohmann::json to_json(const ExitRecord& record) {
  return {{"schema", kExitSchema},
          {"attempt", record.attempt},
          {"rank", record.rank},
          {"local_rank", record.local_rank},
          {"host", record.host},
          {"pid", record.pid},
          {"code", or_null(record.code)},
          {"signal", or_null(record.signal)},
          {"ended_by", name_of(record.ended_by)},
          {"last_step", or_null(record.last_step)},
          {"phase", name_of(record.phase)},
          {"checkpoint_milliseconds", or_null(record.checkpoint_milliseconds)},
          {"started", render_time(record.started)},
          {"ended", render_time(record.ended)},
          {"stderr_tail", record.stderr_tail}};
}

Expected<ExitRecord> parse_exit_record(const nlohmann::json& json) {
  ExitRecord record;
  JsonFields fields(json, "exit record", kExitSchema);
  fields.read("attempt", record.attempt, 0);
  fields.read("rank", record.rank, 0);
  fields.read("local_rank", record.local_rank, 0);
  fields.read("host", record.host);
  fields.read("pid", record.pid, 0);
  fields.read("code", record.code, 0, 255);
  fields.read("signal", record.signal, 1, 127);
  fields.read("ended_by", record.ended_by, {EndedBy::itself, EndedBy::agent});
  fields.read("last_step", record.last_step);
  fields.read("phase", record.phase,
              {Phase::start, Phase::step, Phase::checkpoint, Phase::evaluate, Phase::done});
  fields.read("checkpoint_milliseconds", record.checkpoint_milliseconds);
  fields.read("started", record.started);
  fields.read("ended", record.ended);
  fields.read("stderr_tail", record.stderr_tail);
  fields.expect(record.code.has_value() != record.signal.has_value(), "code",
                "and field 'signal': exactly one of them must have a value");
  if (auto problem = fields.problem(ExitCode::run_failed)) return tl::unexpected(std::move(*problem));
  return record;
}

std::string describe_end(const ExitRecord& record) {
  if (!record.signal) return "exit code " + std::to_string(record.code.value_or(0));
  const std::string name = signal_name(*record.signal);
  const std::string number = "signal " + std::to_string(*record.signal);
  return name == number ? number : number + " (" + name + ")";
}

}  // namespace ddp
