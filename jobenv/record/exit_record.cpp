#include "jobenv/record/exit_record.hpp"

#include "jobenv/record/fields/described_object.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/phase_form.hpp"

namespace ddp {
namespace {

constexpr const char* kExitSchema = "ddpsubmit.exit_record.v1";

constexpr auto describe_exit = [](auto& fields, auto& record) {
  fields.field("attempt", record.attempt, 0);
  fields.field("rank", record.rank, 0);
  fields.field("local_rank", record.local_rank, 0);
  fields.field("host", record.host);
  fields.field("pid", record.pid, 0);
  fields.field("code", record.code, 0, 255);
  fields.field("signal", record.signal, 1, 127);
  fields.field("ended_by", record.ended_by, {EndedBy::itself, EndedBy::agent});
  fields.field("last_step", record.last_step);
  fields.field("phase", record.phase, PhaseForm{});
  fields.field("checkpoint_milliseconds", record.checkpoint_milliseconds);
  fields.field("killed", record.killed);
  fields.field("outlived", record.outlived);
  fields.field("started", record.started);
  fields.field("ended", record.ended);
  fields.field("stderr_tail", record.stderr_tail);
  fields.expect(record.code.has_value() != record.signal.has_value(), "code",
                "and field 'signal': exactly one of them must have a value");
};

}  // namespace

std::string_view name_of(EndedBy ended_by) {
  return ended_by == EndedBy::itself ? "itself" : "agent";
}

nlohmann::json to_json(const ExitRecord& record) {
  return write_object(kExitSchema, record, describe_exit);
}

Expected<ExitRecord> parse_exit_record(const nlohmann::json& json) {
  return read_object<ExitRecord>({json, "exit record", kExitSchema}, ExitCode::run_failed, describe_exit);
}

Expected<ExitRecord> load_exit_record(const std::filesystem::path& file) {
  const auto text = load_file(file);
  if (!text) return tl::unexpected(text.error());
  return parse_exit_record(parse_json(*text));
}

std::string describe_end(const ExitRecord& record) {
  if (!record.signal) return "exit code " + std::to_string(record.code.value_or(0));
  const std::string name = signal_name(*record.signal);
  const std::string number = "signal " + std::to_string(*record.signal);
  return name == number ? number : number + " (" + name + ")";
}

}  // namespace ddp
