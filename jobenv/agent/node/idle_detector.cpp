#include "jobenv/agent/node/idle_detector.hpp"

#include <utility>

#include "jobenv/agent/process/socket_traffic.hpp"

namespace ddp::agent {
namespace {

std::optional<std::chrono::milliseconds> idle_timeout(const LaunchPlan& plan) {
  if (plan.program == ProgramKind::trainer || !plan.hang_timeout) return std::nullopt;
  if (plan.hang_answer == HangAnswer::tell) return plan.waits.idle;
  return *plan.hang_timeout;
}

std::uint64_t size_of(const std::vector<std::filesystem::path>& logs) {
  std::uint64_t sum = 0;
  for (const auto& log : logs) {
    std::error_code error;
    const auto size = std::filesystem::file_size(log, error);
    if (!error) sum += size;
  }
  return sum;
}

/// From one look to the next a process runs and sleeps as it happens.
ProcessState settled_state(ProcessState state) {
  return state == ProcessState::running ? ProcessState::sleeping : state;
}

}  // namespace

IdleDetector::IdleDetector(const LaunchPlan& plan, Report report)
    : report_(std::move(report)), timeout_(idle_timeout(plan)), activities_(plan.waits.live) {}

void IdleDetector::watch(int rank, pid_t pid, std::vector<std::filesystem::path> logs) {
  if (timeout_) ranks_[rank] = {pid, std::move(logs), std::nullopt};
}

void IdleDetector::forget(int rank) {
  ranks_.erase(rank);
  activities_.remove(rank);
}

void IdleDetector::forget_all() {
  ranks_.clear();
  activities_.remove_all();
}

void IdleDetector::look(const RankReading& reading, const ProcessUsage& usage) {
  const auto found = ranks_.find(reading.rank);
  if (found == ranks_.end()) return;
  Rank& rank = found->second;
  if (reading.phase != Phase::start || reading.process == ProcessState::traced) {
    activities_.excuse(reading.rank);
  } else {
    const Activity activity{usage.cpu, usage.io_bytes, size_of(rank.logs), reading.gpu_percent.value_or(0)};
    activities_.observe(reading.rank, activity, [&rank] { return load_tree_traffic(rank.pid); });
  }
  judge(rank, reading);
}

void IdleDetector::judge(Rank& rank, const RankReading& reading) {
  const auto silent = activities_.idle_for(reading.rank);
  if (silent < *timeout_) {
    if (std::exchange(rank.told, std::nullopt)) report_(RankAdvances{reading.rank});
    return;
  }
  const auto process = settled_state(reading.process);
  if (std::exchange(rank.told, process) == process) return;
  report_(RankIdle{reading.rank, silent, process, std::chrono::system_clock::now() - silent});
}

}  // namespace ddp::agent
