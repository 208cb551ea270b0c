#include "trainer/shm/shared_slots.hpp"

#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace ddp::trainer {
namespace {

std::size_t bytes_of_ranks(int ranks) {
  return static_cast<std::size_t>(ranks) * sizeof(SharedRank);
}

/// Of the two of a rank, in the memory of so many ranks.
std::size_t offset_of_slots(int rank, int ranks) {
  return bytes_of_ranks(ranks) + static_cast<std::size_t>(rank) * kSharedSlots * SharedSlots::kBytes;
}

std::string describe(const SharedOperand& operand) {
  return std::to_string(operand.elements) + " elements of " +
         c10::toString(static_cast<c10::ScalarType>(operand.type)) + " in " +
         std::string(name_of(operand.collective));
}

}  // namespace

std::size_t SharedSlots::bytes_for(int ranks) {
  return offset_of_slots(ranks, ranks);
}

SharedSlots::SharedSlots(SharedMemory memory, int rank, int ranks, int number)
    : memory_(std::move(memory)),
      ranks_({reinterpret_cast<SharedRank*>(memory_.data()), static_cast<std::size_t>(ranks)}, rank, number) {
  memory_.reserve(offset_of_slots(rank, ranks), kSharedSlots * kBytes);
}

void SharedSlots::run(const SharedOperand& operand, const std::function<void()>& pieces) {
  TORCH_CHECK_WITH(DistBackendError, !failed_, "a collective before this one has failed");
  failed_ = true;
  operand_ = operand;
  pieces();
  failed_ = false;
}

void SharedSlots::meet() {
  ranks_.own().operands[pieces_ % kSharedSlots] = operand_;
  ranks_.own().filled.raise();
  ranks_.wait_for_all(&SharedRank::filled, pieces_ + 1, operand_.collective);
  check_operands();
}

void SharedSlots::meet_sums() {
  ranks_.own().summed.raise();
  ranks_.wait_for_all(&SharedRank::summed, ++sums_, operand_.collective);
}

void SharedSlots::check_operands() const {
  for (int rank = 0; rank < size(); ++rank) {
    const SharedOperand& other = ranks_[rank].operands[pieces_ % kSharedSlots];
    if (other == operand_) continue;
    throw std::runtime_error("the ranks do not call the same collective with tensors of the same size: " +
                             ranks_.name(ranks_.rank()) + " has " + describe(operand_) + ", " +
                             ranks_.name(rank) + " has " + describe(other));
  }
}

std::byte* SharedSlots::slot(int rank) const {
  return memory_.data() + offset_of_slots(rank, size()) + pieces_ % kSharedSlots * kBytes;
}

}  // namespace ddp::trainer
