#include "jobenv/probe/network_times.hpp"

#include "jobenv/record/fields/object_reader.hpp"
#include "jobenv/record/fields/object_writer.hpp"

namespace ddp {
namespace {

constexpr const char* kPairSchema = "ddpsubmit.probe_pair.v1";
constexpr const char* kGroupSchema = "ddpsubmit.probe_group.v1";

void describe_pair(auto& fields, auto& pair) {
  fields.field("node", pair.node, 0);
  fields.field("peer", pair.peer, 0);
  fields.field("small_seconds", pair.small_seconds);
  fields.field("large_seconds", pair.large_seconds);
  fields.field("problem", pair.problem);
}

void describe_group(auto& fields, auto& group) {
  fields.field("rank", group.rank, 0);
  fields.field("world_size", group.world_size, 1);
  fields.field("seconds", group.seconds);
  fields.field("problem", group.problem);
}

template <class T>
Expected<T> checked(ObjectReader& fields, T value) {
  if (auto problem = fields.problem(ExitCode::run_failed)) return tl::unexpected(std::move(*problem));
  return value;
}

}  // namespace

nlohmann::json to_json(const PairTime& pair) {
  ObjectWriter fields(kPairSchema);
  describe_pair(fields, pair);
  return std::move(fields.object);
}

nlohmann::json to_json(const GroupTime& group) {
  ObjectWriter fields(kGroupSchema);
  describe_group(fields, group);
  return std::move(fields.object);
}

Expected<PairTime> parse_pair_time(const nlohmann::json& json) {
  ObjectReader fields(json, "pair time", kPairSchema);
  PairTime pair;
  describe_pair(fields, pair);
  return checked(fields, std::move(pair));
}

Expected<GroupTime> parse_group_time(const nlohmann::json& json) {
  ObjectReader fields(json, "group time", kGroupSchema);
  GroupTime group;
  describe_group(fields, group);
  return checked(fields, std::move(group));
}

}  // namespace ddp
