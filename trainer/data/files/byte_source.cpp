#include "trainer/data/files/byte_source.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ddp::trainer {

MemoryBytes::MemoryBytes(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> owner)
    : bytes_(bytes), owner_(std::move(owner)) {}

void MemoryBytes::read(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  if (offset > bytes_.size() || bytes.size() > bytes_.size() - offset)
    throw std::runtime_error("there are no such bytes in memory");
  std::ranges::copy(bytes_.subspan(offset, bytes.size()), bytes.begin());
}

}  // namespace ddp::trainer
