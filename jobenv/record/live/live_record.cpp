#include "jobenv/record/live/live_record.hpp"

#include "jobenv/record/fields/described_object.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/object_form.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp {
namespace {

constexpr const char* kLiveSchema = "ddpsubmit.live.v1";

constexpr auto describe_live = [](auto& fields, auto& record) {
  fields.field("attempt", record.attempt, 0);
  fields.field("time", record.time);
  fields.field("total_steps", record.total_steps);
  fields.field("seconds_per_step", record.seconds_per_step);
  fields.field("job_end", record.job_end);
  fields.field("metrics", record.metrics);
  fields.field("summary", record.summary, ObjectForm<LiveSummary>{"summary"});
  fields.items("ranks", record.ranks, ObjectForm<LiveRank>{"rank"});
};

}  // namespace

nlohmann::json to_json(const LiveRecord& record) {
  return write_object(kLiveSchema, record, describe_live);
}

Expected<LiveRecord> parse_live_record(const nlohmann::json& json) {
  return read_object<LiveRecord>({json, "live record", kLiveSchema}, ExitCode::run_failed, describe_live);
}

std::optional<LiveRecord> load_live_record(const RunFolder& folder, int attempt) {
  const auto text = load_file(folder.live());
  if (!text) return std::nullopt;
  auto record = parse_live_record(parse_json(*text));
  if (!record || record->attempt != attempt) return std::nullopt;
  return std::move(*record);
}

}  // namespace ddp
