#include "jobenv/agent/controller/signal_meaning.hpp"

#include <algorithm>
#include <csignal>

namespace ddp::agent {
namespace {

constexpr std::chrono::seconds kEarliness{90};
/// Clocks of a cluster differ a little; Slurm's TERM at the time limit never comes before it.
constexpr std::chrono::seconds kClockSkew{5};

std::optional<int> stop_signal_of(const LaunchPlan& plan) {
  if (!plan.stop_signal) return std::nullopt;
  const auto signal = parse_signal(*plan.stop_signal);
  return signal ? std::optional(*signal) : std::nullopt;
}

std::chrono::milliseconds time_left(const LaunchPlan& plan, const SignalContext& context) {
  using std::chrono::milliseconds;
  if (!context.deadline) return plan.signal_lead;
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(*context.deadline - context.now));
}

/// Slurm's, or of somebody who imitates it.
StopWanted interpret_stop_signal(int signal, const LaunchPlan& plan, const SignalContext& context) {
  if (!context.deadline || announces_end(plan, context.now, *context.deadline))
    return {StopReason::time_limit, signal, time_left(plan, context)};
  if (context.source == DeadlineSource::scheduler) return {StopReason::interrupt, signal};
  return {StopReason::time_limit, signal, plan.signal_lead, Certainty::asked};
}

}  // namespace

bool announces_end(const LaunchPlan& plan, std::chrono::system_clock::time_point now,
                   std::chrono::system_clock::time_point deadline) {
  return now >= deadline - plan.signal_lead - kEarliness;
}

std::optional<StopWanted> interpret_signal(int signal, const LaunchPlan& plan, const SignalContext& context) {
  const bool is_stop_signal = signal == stop_signal_of(plan);
  const bool ends = signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  if (!is_stop_signal && !ends) return std::nullopt;
  if (context.cancel_recorded) return StopWanted{StopReason::cancel, signal};
  if (plan.traits.time_limit == TimeLimitBy::head) return StopWanted{StopReason::interrupt, signal};
  if (is_stop_signal) return interpret_stop_signal(signal, plan, context);
  const bool over = signal == SIGTERM && context.deadline && context.now >= *context.deadline - kClockSkew;
  return StopWanted{over ? StopReason::time_limit : StopReason::interrupt, signal};
}

}  // namespace ddp::agent
