// The header of a safetensors file: each tensor that is read lies behind the header, and is a piece of one
// that can be.
#include "trainer/data/files/safetensors_header.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::uint64_t data_at = 8 + size;
  const auto tensors = ddp::trainer::parse_safetensors_header(text, data_at);
  if (!tensors) return 0;
  for (const auto& tensor : *tensors) {
    if (tensor.begin < data_at || tensor.end < tensor.begin) std::abort();
    if (tensor.offsets.size() != tensor.shape.size()) std::abort();
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      const std::int64_t most = std::numeric_limits<std::int64_t>::max() - tensor.shape[i];
      if (tensor.offsets[i] < 0 || tensor.offsets[i] > most) std::abort();
    }
  }
  return 0;
}
