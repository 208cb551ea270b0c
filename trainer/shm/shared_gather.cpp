#include "trainer/shm/shared_gather.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>

namespace ddp::trainer {

void SharedGather::gather(const at::Tensor& output, const at::Tensor& input) {
  const auto* const own = static_cast<const std::byte*>(input.const_data_ptr());
  auto* const all = static_cast<std::byte*>(output.mutable_data_ptr());
  const std::size_t bytes = input.nbytes();
  const auto place = [&](int rank, std::size_t first) {
    return all + static_cast<std::size_t>(rank) * bytes + first;
  };
  const auto gather_piece = [&](std::size_t first, std::size_t count) {
    std::copy_n(own + first, count, slots_.slot(slots_.rank()));
    if (own != place(slots_.rank(), 0)) std::copy_n(own + first, count, place(slots_.rank(), first));
    slots_.meet();
    for (int step = 1; step < slots_.size(); ++step) {  // not all of them from the same one at the same time
      const int rank = (slots_.rank() + step) % slots_.size();
      std::copy_n(slots_.slot(rank), count, place(rank, first));
    }
    slots_.next();
  };
  const SharedOperand operand{input.numel(), static_cast<std::int64_t>(input.scalar_type()),
                              SharedCollective::all_gather};
  slots_.run(operand, [&] {
    std::size_t first = 0;
    do {
      const std::size_t count = std::min(SharedSlots::kBytes, bytes - first);
      gather_piece(first, count);
      first += count;
    } while (first < bytes);
  });
}

}  // namespace ddp::trainer
