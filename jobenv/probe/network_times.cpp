#include "jobenv/probe/network_times.hpp"

#include "jobenv/record/json_fields.hpp"

namespace ddp {
namespace {

constexpr const char* kPairSchema = "ddpsubmit.probe_pair.v1";
constexpr const char* kGroupSchema = "ddpsubmit.probe_group.v1";

template <class T>
Expected<T> checked(JsonFields& fields, T value) {
  if (auto problem = fields.problem(ExitCode::run_failed)) return tl::unexpected(std::move(*problem));
  return value;
}

}  // namespace

nlohmann::json to_json(const PairTime& pair) {
  return {{"schema", kPairSchema},
          {"node", pair.node},
          {"peer", pair.peer},
          {"small_seconds", pair.small_seconds},
          {"large_seconds", pair.large_seconds},
          {"problem", pair.problem}};
}

nlohmann::json to_json(const GroupTime& group) {
  return {{"schema", kGroupSchema},
          {"rank", group.rank},
          {"world_size", group.world_size},
          {"seconds", group.seconds},
          {"problem", group.problem}};
}

Expected<PairTime> parse_pair_time(const nlohmann::json& json) {
  JsonFields fields(json, "pair time", kPairSchema);
  PairTime pair;
  fields.read("node", pair.node, 0);
  fields.read("peer", pair.peer, 0);
  fields.read("small_seconds", pair.small_seconds);
  fields.read("large_seconds", pair.large_seconds);
  fields.read("problem", pair.problem);
  return checked(fields, std::move(pair));
}

Expected<GroupTime> parse_group_time(const nlohmann::json& json) {
  JsonFields fields(json, "group time", kGroupSchema);
  GroupTime group;
  fields.read("rank", group.rank, 0);
  fields.read("world_size", group.world_size, 1);
  fields.read("seconds", group.seconds);
  fields.read("problem", group.problem);
  return checked(fields, std::move(group));
}

}  // namespace ddp
