#include "jobenv/agent/controller/stop_agreement.hpp"

#include <algorithm>
#include <utility>

namespace ddp::agent {

void StopAgreement::begin(std::set<AgentId> agents) {
  *this = {};
  begun_ = true;
  awaited_ = std::move(agents);
}

bool StopAgreement::take(AgentId agent, const RanksHeld& held) {
  if (!awaited_.contains(agent)) return false;
  all_heed_ = all_heed_ && held.all_heed;
  newest_step_ = std::max(newest_step_, held.newest_step);
  return forget(agent);
}

bool StopAgreement::forget(AgentId agent) {
  return awaited_.erase(agent) > 0 && awaited_.empty();
}

HeadMessage StopAgreement::verdict(int signal) const {
  if (!all_heed_) return StopRanks{signal};
  return StopAfter{newest_step_.value_or(0) + 1, signal};
}

}  // namespace ddp::agent
