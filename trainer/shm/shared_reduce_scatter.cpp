#include "trainer/shm/shared_reduce_scatter.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "trainer/shm/ring_order.hpp"

namespace ddp::trainer {
namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

struct SharedReduceScatter::Operands {
  std::byte* output;
  std::byte* input;
  std::int64_t elements;  ///< of `output`
  std::size_t element_size;
  at::TensorOptions options;
  RingOrder order;
  SharedReduction reduction;

  [[nodiscard]] std::byte* input_at(std::int64_t element) const {
    return input + static_cast<std::size_t>(element) * element_size;
  }
  [[nodiscard]] at::Tensor tensor(std::byte* begin, std::int64_t count) const {
    return at::from_blob(begin, {count}, options);
  }
};

SharedReduceScatter::SharedReduceScatter(SharedSlots& slots)
    : slots_(slots),
      part_bytes_(SharedSlots::kBytes / static_cast<std::size_t>(slots.size()) / kCacheLine * kCacheLine) {}

void SharedReduceScatter::reduce(const at::Tensor& output, const at::Tensor& input,
                                 SharedReduction reduction) {
  const Operands operands{static_cast<std::byte*>(output.mutable_data_ptr()),
                          static_cast<std::byte*>(input.mutable_data_ptr()),
                          output.numel(),
                          input.itemsize(),
                          input.options(),
                          RingOrder(input.numel(), input.itemsize(), slots_.size()),
                          reduction};
  const auto most = static_cast<std::int64_t>(part_bytes_ / operands.element_size);
  const SharedOperand operand{input.numel(), static_cast<std::int64_t>(input.scalar_type()),
                              SharedCollective::reduce_scatter};
  slots_.run(operand, [&] {
    std::int64_t first = 0;
    do {
      const std::int64_t count = std::min(most, operands.elements - first);
      reduce_piece(operands, first, count);
      first += count;
    } while (first < operands.elements);
  });
}

void SharedReduceScatter::reduce_piece(const Operands& operands, std::int64_t first, std::int64_t count) {
  give_others(operands, first, count);
  slots_.meet();
  add_up(operands, first, count);
  slots_.next();
}

void SharedReduceScatter::give_others(const Operands& operands, std::int64_t first, std::int64_t count) {
  for (int rank = 0; rank < slots_.size(); ++rank) {
    if (rank == slots_.rank()) continue;
    const std::byte* const from = operands.input_at(rank * operands.elements + first);
    std::copy_n(from, static_cast<std::size_t>(count) * operands.element_size, part_for(rank, slots_.rank()));
  }
}

// The own part of the own slot, which nobody else reads, has room for the sums that are not complete.
void SharedReduceScatter::add_up(const Operands& operands, std::int64_t first, std::int64_t count) {
  const std::int64_t begin = slots_.rank() * operands.elements + first;
  const auto add_up_range = [&](std::int64_t chunk, std::int64_t from, std::int64_t to) {
    const std::size_t offset = static_cast<std::size_t>(from - begin) * operands.element_size;
    const auto given_by = [&](int rank) {
      return operands.tensor(part_for(slots_.rank(), rank) + offset, to - from);
    };
    std::vector<at::Tensor> terms;
    for (int place = 0; place < slots_.size(); ++place) {
      const int rank = operands.order.rank(chunk, place);
      terms.push_back(rank == slots_.rank() ? operands.tensor(operands.input_at(from), to - from)
                                            : given_by(rank));
    }
    std::byte* const output =
        operands.output + static_cast<std::size_t>(first) * operands.element_size + offset;
    reduce_in_order(terms, given_by(slots_.rank()), operands.tensor(output, to - from), operands.reduction);
  };
  operands.order.for_each_chunk(begin, begin + count, add_up_range);
}

std::byte* SharedReduceScatter::part_for(int to, int from) const {
  return slots_.slot(from) + static_cast<std::size_t>(to) * part_bytes_;
}

}  // namespace ddp::trainer
