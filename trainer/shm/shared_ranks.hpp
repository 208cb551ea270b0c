#pragma once

#include <sched.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/shm/rank_process.hpp"
#include "trainer/shm/shared_count.hpp"

namespace ddp::trainer {

/// Of each rank, for pieces of tensors. A rank that fills one has seen all others done with the other: they
/// have filled theirs after that.
inline constexpr std::size_t kSharedSlots = 2;

enum class SharedCollective : std::int64_t { all_reduce, all_gather, reduce_scatter };

/// "an all-reduce"
[[nodiscard]] std::string_view name_of(SharedCollective collective);

/// What of a collective has to be the same on all ranks.
struct SharedOperand {
  std::int64_t elements;  ///< of the tensor that a rank gives
  std::int64_t type;
  SharedCollective collective;
  bool operator==(const SharedOperand&) const = default;
};

/// What the others see of a rank, in shared memory that begins as zeros. Counts have cache lines of their
/// own.
struct alignas(64) SharedRank {
  SharedCount filled;              ///< pieces of tensors that it has put into its slots
  alignas(64) SharedCount summed;  ///< pieces of which it has added up its part
  alignas(64) std::array<SharedOperand, kSharedSlots> operands;  ///< of the tensors in its slots
  std::int64_t number;                                           ///< of the rank in the job
  std::int64_t process;                                          ///< its number in /proc
  cpu_set_t cpus;                                                ///< on which it may run
};

/// The ranks of one host, who wait for each other.
class SharedRanks {
 public:
  /// Takes the place of `rank` among `ranks`, which is shared memory. Errors name it `number`, as the job
  /// does. Throws std::system_error without /proc.
  SharedRanks(std::span<SharedRank> ranks, int rank, int number);

  /// To be called when all have taken their places, before any waits. `timeout` is of each wait.
  void begin(std::chrono::milliseconds timeout);

  [[nodiscard]] SharedRank& operator[](int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] SharedRank& own() const { return (*this)[rank_]; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }

  /// "rank 3", by its number in the job.
  [[nodiscard]] std::string name(int rank) const;

  /// Returns when this count of all ranks has reached `value`. Throws c10::DistBackendError that names
  /// `collective` when a rank has ended before that, or one has not come there in time.
  void wait_for_all(SharedCount SharedRank::*count, std::uint32_t value, SharedCollective collective) const;

 private:
  void wait_for(int rank, SharedCount SharedRank::*count, std::uint32_t value,
                SharedCollective collective) const;
  void check_all_live(SharedCount SharedRank::*count, std::uint32_t value, SharedCollective collective) const;

  std::span<SharedRank> ranks_;
  int rank_;
  std::vector<RankProcess> processes_;
  std::chrono::milliseconds timeout_{};
  std::chrono::nanoseconds spin_{};
};

}  // namespace ddp::trainer
