#include "jobenv/agent/protocol/message_forms.hpp"

#include <algorithm>
#include <cstdint>

#include "ddp/jobenv/host_list.hpp"

namespace ddp::agent {
namespace {

using nlohmann::json;

constexpr int kMaxRank = 1 << 20;

bool is_rank(const json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{kMaxRank};
}

}  // namespace

json HostListForm::render(const std::vector<std::string>& hosts) const {
  return HostList(hosts).compress();
}

Expected<std::vector<std::string>> HostListForm::parse(const json& json) const {
  if (!json.is_string()) return fail(ExitCode::run_failed, "is not a text");
  const auto list = HostList::parse(json.get<std::string>());
  if (!list) return fail(ExitCode::run_failed, "is not a list of hosts: " + list.error().message);
  return list->hosts();
}

json RankPlaceForm::render(const RankPlace& place) const {
  return {place.rank, place.local_rank, place.node_rank};
}

Expected<RankPlace> RankPlaceForm::parse(const json& json) const {
  if (!json.is_array() || json.size() != 3 || !std::ranges::all_of(json, is_rank))
    return fail(ExitCode::run_failed, "is not a row of rank, local rank and node rank");
  return RankPlace{json[0].get<int>(), json[1].get<int>(), json[2].get<int>()};
}

}  // namespace ddp::agent
