#include "jobenv/agent/node/hang_detector.hpp"
#include "jobenv/agent/process/process_stat.hpp"

#include <utility>

namespace ddp::agent {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

PageReading read_page(const ProgressPage& page) {
  PageReading reading{page.phase.load(kRelaxed), std::nullopt, page.parts.load(kRelaxed)};
  if (reading.phase > Phase::done) reading.phase = Phase::start;  // the rank can write anything there
  if (const auto step = page.step.load(kRelaxed); step != ProgressPage::kNoStep) reading.step = step;
  return reading;
}

bool waits(const ProgressPage& page) {
  return page.waits_for_peers.load(kRelaxed) != 0;
}

/// Other threads of a rank that waits for its peers have work of their own, such as to write a checkpoint.
ProcessState state_of(pid_t pid, const ProgressPage& page) {
  return waits(page) ? load_main_thread_state(pid) : load_process_state(pid);
}

/// From one look to the next a process runs and sleeps as it happens.
ProcessState settled(ProcessState state) {
  return state == ProcessState::running ? ProcessState::sleeping : state;
}

bool is_news(const RankStalled& stalled, const std::optional<RankStalled>& told) {
  return !told || settled(stalled.process) != settled(told->process) ||
         stalled.waits_for_peers != told->waits_for_peers;
}

}  // namespace

HangDetector::HangDetector(EventLoop& loop, const LaunchPlan& plan, Report report)
    : loop_(loop), report_(std::move(report)) {
  if (plan.program == ProgramKind::trainer && plan.hang_timeout) watch_.emplace(hang_floors(plan));
}

void HangDetector::watch(int rank, pid_t pid, const ProgressPage& page) {
  if (!watch_) return;
  ranks_[rank] = {pid, &page, std::nullopt};
  watch_->add(rank, HangWatch::Time::clock::now());
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
  watch_->begin_look(HangWatch::Time::clock::now());
  for (const auto& [number, rank] : ranks_) watch_->observe(number, read_page(*rank.page), waits(*rank.page));
  look_later();
  for (auto& [number, rank] : ranks_) judge(number, rank);
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
