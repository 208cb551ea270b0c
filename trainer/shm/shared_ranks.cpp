#include "trainer/shm/shared_ranks.hpp"

#include <c10/util/Exception.h>

#include <string>

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than ranks of equal work are usually apart, shorter than anybody minds. To wake up takes about a
// quarter of it.
constexpr std::chrono::microseconds kSpin{200};
// How long a rank that has ended stays unnoticed.
constexpr std::chrono::milliseconds kSleep{100};

/// Whether each rank can have a processor for itself: to spin on one that another needs delays both.
bool have_a_processor_each(std::span<const SharedRank> ranks) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const SharedRank& rank : ranks) CPU_OR(&all, &all, &rank.cpus);
  return static_cast<std::size_t>(CPU_COUNT(&all)) >= ranks.size();
}

[[noreturn]] void lose(const std::string& what) {
  C10_THROW_ERROR(DistBackendError, what);
}

}  // namespace

std::string_view name_of(SharedCollective collective) {
  switch (collective) {
    case SharedCollective::all_reduce:
      return "an all-reduce";
    case SharedCollective::all_gather:
      return "an all-gather";
    case SharedCollective::reduce_scatter:
      return "a reduce-scatter";
  }
  return "a collective";  // what another rank has written
}

SharedRanks::SharedRanks(std::span<SharedRank> ranks, int rank, int number) : ranks_(ranks), rank_(rank) {
  SharedRank& mine = own();
  mine.number = number;
  mine.process = own_process_number();
  CPU_ZERO(&mine.cpus);
  sched_getaffinity(0, sizeof mine.cpus, &mine.cpus);
}

void SharedRanks::begin(std::chrono::milliseconds timeout) {
  timeout_ = timeout;
  spin_ = have_a_processor_each(ranks_) ? kSpin : std::chrono::microseconds(0);
  for (const SharedRank& rank : ranks_) processes_.emplace_back(rank.process);
}

std::string SharedRanks::name(int rank) const {
  return "rank " + std::to_string((*this)[rank].number);
}

void SharedRanks::wait_for_all(SharedCount SharedRank::*count, std::uint32_t value,
                               SharedCollective collective) const {
  for (int rank = 0; rank < size(); ++rank) wait_for(rank, count, value, collective);
}

void SharedRanks::wait_for(int rank, SharedCount SharedRank::*count, std::uint32_t value,
                           SharedCollective collective) const {
  SharedCount& awaited = (*this)[rank].*count;
  if (awaited.has_reached(value)) return;
  const PeerWait wait;
  const auto begun = Clock::now();
  while (!awaited.wait_for(value, spin_, kSleep)) {
    check_all_live(count, value, collective);
    if (Clock::now() - begun > timeout_) {
      lose(name(rank) + " did not join " + std::string(name_of(collective)) + " within " +
           std::to_string(timeout_.count()) + " ms");
    }
  }
}

void SharedRanks::check_all_live(SharedCount SharedRank::*count, std::uint32_t value,
                                 SharedCollective collective) const {
  for (int rank = 0; rank < size(); ++rank) {
    const RankProcess& process = processes_[static_cast<std::size_t>(rank)];
    if (!process.has_ended()) continue;
    // What it did before it ended counts.
    if (((*this)[rank].*count).has_reached(value)) continue;
    lose(name(rank) + ", process " + std::to_string(process.number()) +
         " of this host, has ended in the middle of " + std::string(name_of(collective)));
  }
}

}  // namespace ddp::trainer
