#include "trainer/data/files/held_bytes.hpp"

#include <utility>

#include "trainer/data/files/mapped_file.hpp"

namespace ddp::trainer {

HeldBytes hold(std::shared_ptr<const OpenFile> file) {
  auto mapped = std::make_shared<const MappedFile>(*file);
  return {mapped->bytes(), mapped, std::move(file)};
}

HeldBytes hold(std::vector<std::uint8_t> bytes) {
  const auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  return {*owner, owner, std::make_shared<const MemoryBytes>(*owner, owner)};
}

}  // namespace ddp::trainer
