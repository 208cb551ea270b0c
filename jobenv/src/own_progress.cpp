#include "ddp/jobenv/own_progress.hpp"

namespace ddp {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

ProgressPage unseen;
std::atomic<ProgressPage*> shown{&unseen};

ProgressPage& page() {
  return *shown.load(kRelaxed);
}

}  // namespace

void show_progress_on(ProgressPage& page) {
  shown.store(&page, kRelaxed);
}

void count_part() {
  page().parts.fetch_add(1, kRelaxed);
}

void count_part_of(Phase phase) {
  if (page().phase.load(kRelaxed) == phase) count_part();
}

PeerWait::PeerWait() {
  page().waits_for_peers.fetch_add(1, kRelaxed);
}

PeerWait::~PeerWait() {
  page().waits_for_peers.fetch_sub(1, kRelaxed);
}

}  // namespace ddp
