#include "jobenv/agent/controller/stop_terms.hpp"

#include <csignal>

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kDetachedGrace{3};

}  // namespace

milliseconds grace_for(const StopWanted& stop, const LaunchPlan& plan) {
  if (stop.reason == StopReason::detached_submitter)
    return std::min<milliseconds>(plan.grace_period, kDetachedGrace);
  if (stop.time_left) return leave_time_for_records(*stop.time_left);
  return grace_of(plan);
}

bool is_announcement(const StopWanted& stop, const LaunchPlan& plan) {
  return plan.stop_signal_for == StopSignalFor::heeding_ranks && plan.stop_signal &&
         stop.signal == parse_signal(*plan.stop_signal);
}

int signal_for_ranks(const StopWanted& stop, const LaunchPlan& plan) {
  const bool by_people = stop.reason == StopReason::cancel || stop.reason == StopReason::interrupt ||
                         stop.reason == StopReason::detached_submitter;
  const bool is_expected = plan.stop_signal_for == StopSignalFor::all_ranks;
  if (stop.reason == StopReason::interrupt && stop.signal == SIGINT) return SIGINT;
  if (by_people || !plan.stop_signal || !is_expected) return SIGTERM;
  return parse_signal(*plan.stop_signal).value_or(SIGTERM);
}

}  // namespace ddp::agent
