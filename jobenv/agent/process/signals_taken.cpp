#include "jobenv/agent/process/signals_taken.hpp"

#include <csignal>

#include "jobenv/record/signal_name.hpp"

namespace ddp::agent {

std::vector<int> signals_taken(const LaunchPlan& plan) {
  std::vector<int> signals = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
  if (!plan.stop_signal) return signals;
  if (const auto stop = parse_signal(*plan.stop_signal)) signals.push_back(*stop);
  return signals;
}

}  // namespace ddp::agent
