// weights_distance A B: the largest absolute difference between the tensors of two safetensors files.
#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "trainer/checkpoint/safetensors.hpp"

namespace {

double distance(const ddp::trainer::NamedTensors& a, const ddp::trainer::NamedTensors& b) {
  double largest = a.size() == b.size() && !a.empty() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].first != b[i].first || a[i].second.sizes() != b[i].second.sizes())
      return std::numeric_limits<double>::infinity();
    const auto difference = (a[i].second.to(at::kDouble) - b[i].second.to(at::kDouble)).abs().max();
    largest = std::max(largest, difference.item<double>());
  }
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::printf("%g\n", distance(ddp::trainer::load_safetensors(argv[1]).tensors,
                               ddp::trainer::load_safetensors(argv[2]).tensors));
}
