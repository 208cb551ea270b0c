#include "trainer/shm/shared_ranks.hpp"

#include <c10/util/Exception.h>
#include <unistd.h>

#include <string>

#include "jobenv/record/process_identity.hpp"

namespace ddp::trainer {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than ranks of equal work are usually apart, shorter than anybody minds. To wake up takes about a
// quarter of it.
constexpr std::chrono::microseconds kSpin{200};
// How long a rank that is gone stays unnoticed.
constexpr std::chrono::milliseconds kSleep{100};

/// Whether each rank can have a processor for itself: to spin on one that another needs delays both.
bool have_a_processor_each(std::span<const SharedRank> ranks) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const SharedRank& rank : ranks) CPU_OR(&all, &all, &rank.cpus);
  return static_cast<std::size_t>(CPU_COUNT(&all)) >= ranks.size();
}

}  // namespace

SharedRanks::SharedRanks(std::span<SharedRank> ranks, int rank) : ranks_(ranks), rank_(rank) {
  SharedRank& mine = own();
  mine.process = getpid();
  mine.process_start = load_process_start(getpid()).value_or(0);
  CPU_ZERO(&mine.cpus);
  sched_getaffinity(0, sizeof mine.cpus, &mine.cpus);
}

void SharedRanks::begin(std::chrono::milliseconds timeout) {
  timeout_ = timeout;
  spin_ = have_a_processor_each(ranks_) ? kSpin : std::chrono::microseconds(0);
}

void SharedRanks::wait_for_all(SharedCount SharedRank::*count, std::uint32_t value) const {
  for (int rank = 0; rank < size(); ++rank) wait_for(rank, (*this)[rank].*count, value);
}

void SharedRanks::wait_for(int rank, SharedCount& count, std::uint32_t value) const {
  if (count.has_reached(value)) return;
  const auto begun = Clock::now();
  while (!count.wait_for(value, spin_, kSleep)) {
    // What it did before it ended counts.
    if (is_gone(rank) && !count.has_reached(value)) {
      C10_THROW_ERROR(DistBackendError, "rank " + std::to_string(rank) + ", process " +
                                            std::to_string((*this)[rank].process) +
                                            " of this host, has ended in the middle of an all-reduce");
    }
    if (Clock::now() - begun > timeout_) {
      C10_THROW_ERROR(DistBackendError, "rank " + std::to_string(rank) +
                                            " has not come to an all-reduce within " +
                                            std::to_string(timeout_.count()) + " ms");
    }
  }
}

bool SharedRanks::is_gone(int rank) const {
  const SharedRank& other = (*this)[rank];
  return load_process_start(static_cast<int>(other.process)).value_or(0) != other.process_start;
}

}  // namespace ddp::trainer
