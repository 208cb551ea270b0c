#include "jobenv/probe/network_times.hpp"

#include "jobenv/record/fields/described_object.hpp"

namespace ddp {
namespace {

constexpr const char* kPairSchema = "ddpsubmit.probe_pair.v1";
constexpr const char* kGroupSchema = "ddpsubmit.probe_group.v1";

constexpr auto describe_pair = [](auto& fields, auto& pair) {
  fields.field("node", pair.node, 0);
  fields.field("peer", pair.peer, 0);
  fields.field("small_seconds", pair.small_seconds);
  fields.field("large_seconds", pair.large_seconds);
  fields.field("problem", pair.problem);
};

constexpr auto describe_group = [](auto& fields, auto& group) {
  fields.field("rank", group.rank, 0);
  fields.field("world_size", group.world_size, 1);
  fields.field("seconds", group.seconds);
  fields.field("problem", group.problem);
};

}  // namespace

nlohmann::json to_json(const PairTime& pair) {
  return write_object(kPairSchema, pair, describe_pair);
}

nlohmann::json to_json(const GroupTime& group) {
  return write_object(kGroupSchema, group, describe_group);
}

Expected<PairTime> parse_pair_time(const nlohmann::json& json) {
  return read_object<PairTime>({json, "pair time", kPairSchema}, ExitCode::run_failed, describe_pair);
}

Expected<GroupTime> parse_group_time(const nlohmann::json& json) {
  return read_object<GroupTime>({json, "group time", kGroupSchema}, ExitCode::run_failed, describe_group);
}

}  // namespace ddp
