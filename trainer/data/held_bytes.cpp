#include "trainer/data/held_bytes.hpp"

#include <utility>

#include "trainer/data/mapped_file.hpp"

namespace ddp::trainer {

HeldBytes hold_file(const std::filesystem::path& path) {
  auto file = std::make_shared<const OpenFile>(path);
  auto mapped = std::make_shared<const MappedFile>(*file);
  file->read_ahead();
  return {mapped->bytes(), mapped, file};
}

HeldBytes hold_memory(std::vector<std::uint8_t> bytes) {
  const auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  return {*owner, owner, std::make_shared<const MemoryBytes>(*owner, owner)};
}

}  // namespace ddp::trainer
