#include "jobenv/agent/node/held_ranks.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace ddp::agent {
namespace {

/// By then every processor has made its stores visible, where the kernel has no membarrier.
constexpr std::chrono::milliseconds kSettled{10};

bool heeds(const ProgressPage* page) {
  return (page->uses.load(std::memory_order_relaxed) & ProgressPage::kHeedsStops) != 0;
}

void fence_all_processors() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) std::this_thread::sleep_for(kSettled);
}

void set_stop_step(const Pages& pages, std::uint64_t step) {
  for (auto* page : pages) page->stop_step.store(step, std::memory_order_relaxed);
}

}  // namespace

RanksHeld hold_ranks(const Pages& pages) {
  if (!std::ranges::all_of(pages, heeds)) return {};
  set_stop_step(pages, ProgressPage::kHold);
  fence_all_processors();
  RanksHeld held{.all_heed = true, .newest_step = {}};
  for (const auto* page : pages) held.newest_step = std::max(held.newest_step, step_of(*page));
  return held;
}

void stop_ranks_after(const Pages& pages, const StopAfter& stop) {
  for (auto* page : pages)
    page->stop_requested.store(static_cast<std::uint32_t>(stop.signal), std::memory_order_relaxed);
  set_stop_step(pages, stop.step);
}

void release_ranks(const Pages& pages) {
  set_stop_step(pages, ProgressPage::kNoStop);
}

}  // namespace ddp::agent
