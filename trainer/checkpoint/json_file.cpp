#include "trainer/checkpoint/json_file.hpp"

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace ddp::trainer {
namespace {

/// More is not ours. The index of a large model of Hugging Face has a few megabytes.
constexpr std::uint64_t kMaxJsonBytes = 64u << 20;

}  // namespace

FileSum save_text(const std::filesystem::path& file, std::string_view text) {
  CheckedWriter writer(file);
  writer.write(text);
  return writer.finish();
}

std::pair<nlohmann::json, FileSum> load_json(const std::filesystem::path& file) {
  CheckedReader reader(file);
  if (reader.file_size() > kMaxJsonBytes) throw std::runtime_error("'" + file.string() + "' is too large");
  std::string text(reader.file_size(), '\0');
  reader.read(std::as_writable_bytes(std::span(text)));
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (!value.is_object()) throw std::runtime_error("'" + file.string() + "' is not a JSON object");
  return {std::move(value), reader.sum()};
}

}  // namespace ddp::trainer
