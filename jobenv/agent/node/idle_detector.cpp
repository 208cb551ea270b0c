#include "jobenv/agent/node/idle_detector.hpp"

#include <utility>

#include "jobenv/agent/process/process_usage.hpp"
#include "jobenv/agent/process/socket_traffic.hpp"

namespace ddp::agent {
namespace {

std::optional<std::chrono::milliseconds> idle_timeout(const LaunchPlan& plan) {
  if (plan.program == ProgramKind::trainer || !plan.hang_timeout) return std::nullopt;
  if (plan.hang_answer == HangAnswer::tell) return plan.waits.idle;
  return *plan.hang_timeout;
}

}  // namespace

IdleDetector::IdleDetector(const LaunchPlan& plan, Report report)
    : report_(std::move(report)), timeout_(idle_timeout(plan)), activities_(plan.waits.live) {}

void IdleDetector::watch(int rank) {
  if (timeout_) ranks_[rank] = {};
}

void IdleDetector::hold(Judgement judgement) {
  judgement_ = judgement;
  for (auto& [number, rank] : ranks_) rank.was_held = true;
}

void IdleDetector::forget(int rank) {
  ranks_.erase(rank);
  activities_.remove(rank);
}

void IdleDetector::forget_all() {
  ranks_.clear();
  activities_.remove_all();
}

void IdleDetector::look(const RankReading& reading, std::span<const pid_t> processes, std::uint64_t printed) {
  const auto found = ranks_.find(reading.rank);
  if (found == ranks_.end() || judgement_ == Judgement::held) return;
  Rank& rank = found->second;
  const Activity activity{reading.cpu, printed, reading.gpu_percent.value_or(0)};
  const auto count_bytes = [processes] { return load_io_bytes(processes) + load_traffic(processes); };
  if (reading.phase != Phase::start || reading.process == ProcessState::traced) {
    activities_.remove(reading.rank);  // it begins anew
  } else if (std::exchange(rank.was_held, false)) {
    activities_.rebase(reading.rank, activity, count_bytes);
  } else {
    activities_.observe(reading.rank, activity, count_bytes);
  }
  judge(rank, reading);
}

void IdleDetector::judge(Rank& rank, const RankReading& reading) {
  const auto silent = activities_.idle_for(reading.rank);
  if (silent < *timeout_) {
    if (std::exchange(rank.told, std::nullopt)) report_(RankAdvances{reading.rank});
    return;
  }
  const auto process = settled(reading.process);
  if (std::exchange(rank.told, process) == process) return;
  report_(RankIdle{reading.rank, silent, process, std::chrono::system_clock::now() - silent});
}

}  // namespace ddp::agent
