#include "trainer/shm/shared_sum.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "trainer/shm/ring_order.hpp"

namespace ddp::trainer {
namespace {

// Two slots of each of a few ranks fit into a cache of the second level or, shared, of the third.
constexpr std::size_t kSlotBytes = 128 * 1024;

std::size_t bytes_of_ranks(int ranks) {
  return static_cast<std::size_t>(ranks) * sizeof(SharedRank);
}

std::string describe(const SharedOperand& operand) {
  return std::to_string(operand.elements) + " elements of " +
         c10::toString(static_cast<at::ScalarType>(operand.type));
}

}  // namespace

struct SharedSum::Range {
  std::int64_t begin;
  std::int64_t end;
};

/// A stretch of the elements of a tensor, as one dimension.
struct SharedSum::Piece {
  at::Tensor values;
  std::int64_t first;  ///< in the tensor
  SharedOperand whole;
  RingOrder order;

  [[nodiscard]] std::int64_t count() const { return values.numel(); }
  [[nodiscard]] Range part(int rank, int ranks) const {
    return {count() * rank / ranks, count() * (rank + 1) / ranks};
  }
};

std::size_t SharedSum::bytes_for(int ranks) {
  return bytes_of_ranks(ranks) + static_cast<std::size_t>(ranks) * kSharedSlots * kSlotBytes;
}

bool SharedSum::takes(at::ScalarType type) {
  return type == at::kFloat || type == at::kDouble || type == at::kInt || type == at::kLong;
}

SharedSum::SharedSum(SharedMemory memory, int rank, int ranks)
    : memory_(std::move(memory)),
      ranks_({reinterpret_cast<SharedRank*>(memory_.data()), static_cast<std::size_t>(ranks)}, rank) {
  memory_.reserve(bytes_of_ranks(ranks) + static_cast<std::size_t>(rank) * kSharedSlots * kSlotBytes,
                  kSharedSlots * kSlotBytes);
}

void SharedSum::add_up(const at::Tensor& tensor) {
  TORCH_CHECK_WITH(DistBackendError, !failed_, "an all-reduce before this one has failed");
  failed_ = true;
  const at::Tensor values = at::from_blob(tensor.mutable_data_ptr(), {tensor.numel()}, tensor.options());
  const SharedOperand whole{values.numel(), static_cast<std::int64_t>(values.scalar_type())};
  const RingOrder order(values.numel(), values.element_size(), ranks_.size());
  const auto most = static_cast<std::int64_t>(kSlotBytes / values.element_size());
  std::int64_t first = 0;
  do {  // once for a tensor of no elements, too: ranks that have some are told
    const std::int64_t count = std::min(most, whole.elements - first);
    add_up_piece({values.narrow(0, first, count), first, whole, order});
    first += count;
  } while (first < whole.elements);
  failed_ = false;
}

void SharedSum::add_up_piece(const Piece& piece) {
  slot(ranks_.rank(), piece).copy_(piece.values);
  ranks_.own().operands[pieces_ % kSharedSlots] = piece.whole;
  ranks_.own().filled.raise();
  ranks_.wait_for_all(&SharedRank::filled, pieces_ + 1);
  check_operands(piece.whole);
  add_up_part(piece);
  if (shares_out()) {
    ranks_.own().summed.raise();
    ranks_.wait_for_all(&SharedRank::summed, pieces_ + 1);
    take_parts(piece);
  }
  ++pieces_;
}

void SharedSum::add_up_part(const Piece& piece) {
  const Range part = shares_out() ? piece.part(ranks_.rank(), ranks_.size()) : Range{0, piece.count()};
  const std::int64_t chunk_size = piece.order.elements_per_chunk();
  for (std::int64_t begin = part.begin; begin < part.end;) {
    const std::int64_t chunk = (piece.first + begin) / chunk_size;
    const std::int64_t end = std::min(part.end, (chunk + 1) * chunk_size - piece.first);
    add_up_range(piece, {begin, end}, chunk);
    begin = end;
  }
}

// In place, or where parts are shared out into the own slot, of which nobody else reads this part before it
// is added up.
void SharedSum::add_up_range(const Piece& piece, const Range& range, std::int64_t chunk) {
  const auto term = [&](int place) {
    const int rank = piece.order.rank(chunk, place);
    const at::Tensor terms = rank == ranks_.rank() ? piece.values : slot(rank, piece);
    return terms.slice(0, range.begin, range.end);
  };
  const at::Tensor sums = shares_out() ? slot(ranks_.rank(), piece) : piece.values;
  at::Tensor into = sums.slice(0, range.begin, range.end);
  at::add_out(into, term(1), term(0));
  for (int place = 2; place < ranks_.size(); ++place) at::add_out(into, term(place), into);
}

void SharedSum::take_parts(const Piece& piece) {
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const auto [begin, end] = piece.part(rank, ranks_.size());
    piece.values.slice(0, begin, end).copy_(slot(rank, piece).slice(0, begin, end));
  }
}

void SharedSum::check_operands(const SharedOperand& own) const {
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    const SharedOperand& other = ranks_[rank].operands[pieces_ % kSharedSlots];
    if (other == own) continue;
    throw std::runtime_error("the ranks all-reduce different tensors: rank " + std::to_string(ranks_.rank()) +
                             " has " + describe(own) + ", rank " + std::to_string(rank) + " has " +
                             describe(other));
  }
}

at::Tensor SharedSum::slot(int rank, const Piece& piece) const {
  const std::size_t number = static_cast<std::size_t>(rank) * kSharedSlots + pieces_ % kSharedSlots;
  std::byte* begin = memory_.data() + bytes_of_ranks(ranks_.size()) + number * kSlotBytes;
  return at::from_blob(begin, {piece.count()}, piece.values.options());
}

}  // namespace ddp::trainer
