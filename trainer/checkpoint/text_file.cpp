#include "trainer/checkpoint/text_file.hpp"

#include <cstdint>
#include <span>
#include <stdexcept>

namespace ddp::trainer {
namespace {

/// More is not ours. The index of a large model of Hugging Face has a few megabytes.
constexpr std::uint64_t kMaxTextBytes = 64u << 20;

}  // namespace

FileSum save_text(const std::filesystem::path& file, std::string_view text) {
  CheckedWriter writer(file);
  writer.write(text);
  return writer.finish();
}

std::pair<std::string, FileSum> load_text(const std::filesystem::path& file) {
  CheckedReader reader(file);
  if (reader.file_size() > kMaxTextBytes) throw std::runtime_error("'" + file.string() + "' is too large");
  std::string text(reader.file_size(), '\0');
  reader.read(std::as_writable_bytes(std::span(text)));
  return {std::move(text), reader.sum()};
}

}  // namespace ddp::trainer
