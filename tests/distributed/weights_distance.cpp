// weights_distance A B: the largest absolute difference between the tensors of two safetensors files.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "trainer/data/files/safetensors_header.hpp"

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

template <typename Number>
double distance(const char* a, const char* b, std::size_t bytes) {
  double largest = 0;
  for (std::size_t at = 0; at + sizeof(Number) <= bytes; at += sizeof(Number)) {
    Number x, y;
    std::memcpy(&x, a + at, sizeof x);
    std::memcpy(&y, b + at, sizeof y);
    const double apart = std::abs(static_cast<double>(x) - static_cast<double>(y));
    largest = std::isnan(apart) ? kFar : std::max(largest, apart);
  }
  return largest;
}

struct File {
  explicit File(const char* path) : tensors(ddp::trainer::read_safetensors_header(path).value()) {
    std::ifstream stream(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
    std::ranges::sort(tensors, {}, &ddp::trainer::TensorEntry::name);
  }
  std::vector<ddp::trainer::TensorEntry> tensors;
  std::string bytes;
};

double distance(const File& a, const File& b) {
  double largest = a.tensors.size() == b.tensors.size() && !a.tensors.empty() ? 0 : kFar;
  for (std::size_t i = 0; i < std::min(a.tensors.size(), b.tensors.size()); ++i) {
    const auto &one = a.tensors[i], &other = b.tensors[i];
    if (one.name != other.name || one.shape != other.shape || one.dtype != other.dtype) return kFar;
    const char *x = a.bytes.data() + one.begin, *y = b.bytes.data() + other.begin;
    const std::size_t size = one.end - one.begin;
    const bool is_float = one.dtype == "F32", is_long = one.dtype == "I64";
    largest = std::max(largest, is_float  ? distance<float>(x, y, size)
                                : is_long ? distance<std::int64_t>(x, y, size)
                                          : kFar);
  }
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::printf("%g\n", distance(File(argv[1]), File(argv[2])));
}
