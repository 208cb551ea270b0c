#include "jobenv/record/stacks/stack_record.hpp"

#include "jobenv/record/fields/described_object.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/object_form.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp {
namespace {

constexpr const char* kStacksSchema = "ddpsubmit.stacks.v1";
constexpr const char* kRequestSchema = "ddpsubmit.stack_request.v1";

constexpr auto describe_stacks = [](auto& fields, auto& record) {
  fields.field("attempt", record.attempt, 0);
  fields.field("time", record.time);
  fields.field("world_size", record.world_size, 0);
  fields.items("ranks", record.ranks, ObjectForm<RankStack>{"rank"});
};

constexpr auto describe_request = [](auto& fields, auto& request) { fields.field("ranks", request.ranks); };

}  // namespace

nlohmann::json to_json(const StackRecord& record) {
  return write_object(kStacksSchema, record, describe_stacks);
}

Expected<StackRecord> parse_stack_record(const nlohmann::json& json) {
  return read_object<StackRecord>({json, "stack record", kStacksSchema}, ExitCode::run_failed,
                                  describe_stacks);
}

Expected<StackRecord> load_stack_record(const std::filesystem::path& file) {
  const auto text = load_file(file);
  if (!text) return tl::unexpected(text.error());
  return parse_stack_record(parse_json(*text));
}

nlohmann::json to_json(const StackRequest& request) {
  return write_object(kRequestSchema, request, describe_request);
}

Expected<StackRequest> parse_stack_request(const nlohmann::json& json) {
  return read_object<StackRequest>({json, "stack request", kRequestSchema}, ExitCode::run_failed,
                                   describe_request);
}

}  // namespace ddp
