#include "trainer/shm/shared_sum.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "trainer/shm/ring_order.hpp"

namespace ddp::trainer {
namespace {

// Two of each of a few ranks fit into a cache of the second level or, shared, of the third.
constexpr std::size_t kSumBytes = 128 * 1024;
static_assert(kSumBytes <= SharedSlots::kBytes);

}  // namespace

/// Some elements of a tensor, as one dimension.
struct SharedSum::Piece {
  at::Tensor values;
  std::int64_t first;  ///< in the tensor
  const RingOrder& order;
  SharedReduction reduction;

  [[nodiscard]] std::int64_t count() const { return values.numel(); }
  /// Begin and end, in the piece.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> part(int rank, int ranks) const {
    return {count() * rank / ranks, count() * (rank + 1) / ranks};
  }
};

void SharedSum::add_up(const at::Tensor& tensor, SharedReduction reduction) {
  const at::Tensor values = at::from_blob(tensor.mutable_data_ptr(), {tensor.numel()}, tensor.options());
  const std::int64_t elements = values.numel();
  const RingOrder order(elements, values.element_size(), slots_.size());
  const auto most = static_cast<std::int64_t>(kSumBytes / values.element_size());
  const SharedOperand operand{elements, static_cast<std::int64_t>(values.scalar_type()),
                              SharedCollective::all_reduce};
  slots_.run(operand, [&] {
    std::int64_t first = 0;
    do {
      const std::int64_t count = std::min(most, elements - first);
      add_up_piece({values.narrow(0, first, count), first, order, reduction});
      first += count;
    } while (first < elements);
  });
}

void SharedSum::add_up_piece(const Piece& piece) {
  slot(slots_.rank(), piece).copy_(piece.values);
  slots_.meet();
  add_up_part(piece);
  if (shares_out()) {
    slots_.meet_sums();
    take_parts(piece);
  }
  slots_.next();
}

void SharedSum::add_up_part(const Piece& piece) {
  const auto [begin, end] =
      shares_out() ? piece.part(slots_.rank(), slots_.size()) : std::pair(std::int64_t{0}, piece.count());
  piece.order.for_each_chunk(piece.first + begin, piece.first + end,
                             [&](std::int64_t chunk, std::int64_t from, std::int64_t to) {
                               add_up_range(piece, chunk, from - piece.first, to - piece.first);
                             });
}

// In place, or where parts are shared out into the own slot, of which nobody else reads this part before it
// is added up.
void SharedSum::add_up_range(const Piece& piece, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
  std::vector<at::Tensor> terms;
  for (int place = 0; place < slots_.size(); ++place) {
    const int rank = piece.order.rank(chunk, place);
    terms.push_back((rank == slots_.rank() ? piece.values : slot(rank, piece)).slice(0, begin, end));
  }
  const at::Tensor sums = shares_out() ? slot(slots_.rank(), piece) : piece.values;
  const at::Tensor into = sums.slice(0, begin, end);
  reduce_in_order(terms, into, into, piece.reduction);
}

void SharedSum::take_parts(const Piece& piece) {
  for (int rank = 0; rank < slots_.size(); ++rank) {
    const auto [begin, end] = piece.part(rank, slots_.size());
    piece.values.slice(0, begin, end).copy_(slot(rank, piece).slice(0, begin, end));
  }
}

at::Tensor SharedSum::slot(int rank, const Piece& piece) const {
  return at::from_blob(slots_.slot(rank), {piece.count()}, piece.values.options());
}

}  // namespace ddp::trainer
