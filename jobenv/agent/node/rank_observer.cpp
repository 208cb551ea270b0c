#include "jobenv/agent/node/rank_observer.hpp"

#include <utility>

#include "jobenv/agent/process/process_stat.hpp"
#include "jobenv/agent/process/process_tree.hpp"
#include "jobenv/agent/process/process_usage.hpp"

namespace ddp::agent {
namespace {

RankReading read_rank(int rank, pid_t pid, const ProgressPage& page, const ProcessUsage& usage,
                      const std::optional<GpuUse>& gpu) {
  RankReading reading{.rank = rank,
                      .phase = phase_of(page),
                      .step = step_of(page),
                      .first_step = first_step_of(page),
                      .total_steps = total_steps_of(page),
                      .metrics = {},
                      .process = load_main_thread_state(pid),
                      .cpu = usage.cpu,
                      .memory_bytes = usage.memory_bytes,
                      .gpu_percent = gpu ? std::optional(gpu->percent) : std::nullopt,
                      .gpu_memory_bytes = gpu ? gpu->memory_bytes : 0};
  if (rank == 0) reading.metrics = metrics_of(page);
  return reading;
}

}  // namespace

RankObserver::RankObserver(EventLoop& loop, const LaunchPlan& plan, const EnvMap& environment,
                           const Report& report, CountPrinted count_printed)
    : loop_(loop),
      interval_(plan.waits.live),
      report_(report),
      idle_detector_(plan, report),
      count_printed_(std::move(count_printed)) {
  if (plan.gpus_per_node > 0) gpus_.emplace(loop, environment);
}

void RankObserver::watch(int rank, pid_t pid, const ProgressPage& page) {
  ranks_[rank] = {.pid = pid, .page = &page, .told = std::nullopt};
  idle_detector_.watch(rank);
  if (!timer_) look_later();
}

void RankObserver::forget(int rank) {
  ranks_.erase(rank);
  idle_detector_.forget(rank);
}

void RankObserver::forget_all() {
  ranks_.clear();
  idle_detector_.forget_all();
  if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
}

void RankObserver::look_later() {
  timer_ = loop_.after(interval_, [this] { look(); });
}

void RankObserver::look() {
  timer_.reset();
  if (ranks_.empty()) return;
  RanksSeen seen;
  if (gpus_) gpus_->look();
  idle_detector_.begin_look(ActivityWatch::Time::clock::now());
  for (auto& [number, rank] : ranks_) {
    const auto processes = process_tree(rank.pid);
    auto reading = read_rank(number, rank.pid, *rank.page, load_usage(processes),
                             gpus_ ? gpus_->use_of(processes) : std::nullopt);
    idle_detector_.look(reading, processes, count_printed_(number));
    const bool same = reading == rank.told;
    if (same && rank.told_twice) continue;
    rank.told_twice = same;
    rank.told = reading;
    seen.ranks.push_back(std::move(reading));
  }
  look_later();
  if (!seen.ranks.empty()) report_(seen);
}

}  // namespace ddp::agent
