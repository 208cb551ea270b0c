#include "jobenv/agent/node/hang_detector.hpp"
#include "jobenv/agent/process/process_stat.hpp"

#include <utility>

namespace ddp::agent {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

PageReading read_page(const ProgressPage& page) {
  return {phase_of(page), step_of(page), page.parts.load(kRelaxed)};
}

bool waits(const ProgressPage& page) {
  return page.waits_for_peers.load(kRelaxed) != 0;
}

/// Other threads of a rank that waits for its peers have work of their own, such as to write a checkpoint.
ProcessState state_of(pid_t pid, const ProgressPage& page) {
  return waits(page) ? load_main_thread_state(pid) : load_process_state(pid);
}

bool is_news(const RankStalled& stalled, const std::optional<RankStalled>& told) {
  return !told || settled(stalled.process) != settled(told->process) ||
         stalled.waits_for_peers != told->waits_for_peers;
}

}  // namespace

HangDetector::HangDetector(EventLoop& loop, const LaunchPlan& plan, Report report)
    : loop_(loop), report_(std::move(report)), program_(plan.program) {
  if (plan.hang_timeout) watch_.emplace(hang_floors(plan));
}

void HangDetector::watch(int rank, pid_t pid, const ProgressPage& page) {
  if (!watch_) return;
  Rank& watched = ranks_[rank] = {pid, &page};
  if (program_ == ProgramKind::trainer) begin_watch(rank, watched, HangWatch::Time::clock::now());
  if (!timer_) look_later();
}

void HangDetector::forget(int rank) {
  if (ranks_.erase(rank) > 0) watch_->remove(rank);
}

void HangDetector::forget_all() {
  ranks_.clear();
  if (watch_) watch_->remove_all();
  if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
}

void HangDetector::look_later() {
  timer_ = loop_.after(watch_->interval(), [this] { look(); });
}

void HangDetector::look() {
  timer_.reset();
  if (ranks_.empty()) return;
  const auto now = HangWatch::Time::clock::now();
  watch_->begin_look(now);
  for (auto& [number, rank] : ranks_) {
    if (!rank.watched && phase_of(*rank.page) != Phase::start) begin_watch(number, rank, now);
    if (rank.watched) watch_->observe(number, read_page(*rank.page), waits(*rank.page));
  }
  look_later();
  if (judgement_ == Judgement::held) return;
  for (auto& [number, rank] : ranks_) {
    if (rank.watched) judge(number, rank);
  }
}

void HangDetector::begin_watch(int number, Rank& rank, HangWatch::Time now) {
  rank.watched = true;
  watch_->add(number, now);
}

void HangDetector::judge(int number, Rank& rank) {
  if (watch_->is_suspect(number)) {
    const ProcessState process = state_of(rank.pid, *rank.page);
    const auto [phase, step, silent, longest] = watch_->silence(number);
    if (watch_->hangs(number, process))
      return tell(rank, {number, phase, step, silent, longest, process, waits(*rank.page),
                         std::chrono::system_clock::now() - silent});
  }
  if (std::exchange(rank.told, std::nullopt)) report_(RankAdvances{number});
}

void HangDetector::tell(Rank& rank, const RankStalled& stalled) {
  if (!is_news(stalled, rank.told)) return;
  rank.told = stalled;
  report_(stalled);
}

}  // namespace ddp::agent
