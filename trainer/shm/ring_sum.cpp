#include "trainer/shm/ring_sum.hpp"

#include <ATen/ATen.h>

namespace ddp::trainer {

bool has_bits_of_gloo(at::ScalarType type, SharedReduction reduction) {
  switch (type) {
    case at::kFloat:
    case at::kDouble:
    case at::kHalf:  // but for those of a NaN, of these two:
    case at::kBFloat16:
      return true;
    case at::kInt:
    case at::kLong:
      return reduction == SharedReduction::sum;
    default:
      return false;
  }
}

void reduce_in_order(std::span<const at::Tensor> terms, const at::Tensor& partial, const at::Tensor& result,
                     SharedReduction reduction) {
  at::Tensor sum = terms.front();
  for (std::size_t place = 1; place < terms.size(); ++place) {
    at::Tensor into = place + 1 < terms.size() ? partial : result;
    at::add_out(into, terms[place], sum);
    sum = into;
  }
  if (terms.size() == 1) result.copy_(sum);
  if (reduction == SharedReduction::average) result.div_(static_cast<std::int64_t>(terms.size()));
}

}  // namespace ddp::trainer
