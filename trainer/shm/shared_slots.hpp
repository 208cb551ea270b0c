#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "trainer/shm/shared_memory.hpp"
#include "trainer/shm/shared_ranks.hpp"

namespace ddp::trainer {

/// The memory through which the ranks of one host send each other tensors, piece after piece. Each rank has
/// two slots, which all others read, and fills them in turns. Used by one thread at a time.
class SharedSlots {
 public:
  /// Of a slot. Half of it already keeps the waits for other ranks short beside the copies, where ranks have
  /// to take turns on processors, too.
  static constexpr std::size_t kBytes = 1024 * 1024;

  /// Of the memory that so many ranks need.
  [[nodiscard]] static std::size_t bytes_for(int ranks);

  /// Takes the place of `rank` in `memory`, which has to be zeros before the first one comes. Errors name it
  /// `number`, as the job does. Throws std::system_error.
  SharedSlots(SharedMemory memory, int rank, int ranks, int number);

  /// To be called when all have taken their places, before the first collective. `timeout` is of each wait.
  void begin(std::chrono::milliseconds timeout) { ranks_.begin(timeout); }

  [[nodiscard]] int rank() const { return ranks_.rank(); }
  [[nodiscard]] int size() const { return ranks_.size(); }

  /// Calls `pieces`, which is to send a tensor of one collective: for each piece it fills the own slot, calls
  /// meet(), reads, and calls next(). All ranks send as many pieces, one at least, so that all are told when
  /// an operand differs. Throws c10::DistBackendError when a rank is gone or too late, and
  /// std::runtime_error when operands differ; the slots are of no use after that.
  void run(const SharedOperand& operand, const std::function<void()>& pieces);

  /// That of `rank` for this piece, kBytes long and aligned for every type.
  [[nodiscard]] std::byte* slot(int rank) const;

  /// Tells the others that the own slot is filled. Returns when those of all ranks are.
  void meet();

  /// Tells the others that this rank's part of a sum is in its own slot. Returns when those of all ranks are.
  void meet_sums();

  /// The others may fill the slots of this piece again.
  void next() { ++pieces_; }

 private:
  void check_operands() const;

  SharedMemory memory_;
  SharedRanks ranks_;
  SharedOperand operand_{};   ///< of the collective that runs
  std::uint32_t pieces_ = 0;  ///< that are done, modulo 2^32
  std::uint32_t sums_ = 0;    ///< pieces for whose sums this rank has waited, modulo 2^32
  bool failed_ = false;
};

}  // namespace ddp::trainer
