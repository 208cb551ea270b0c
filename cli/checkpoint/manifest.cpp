#include "cli/checkpoint/manifest.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

constexpr int kWholeFormat = 1;
constexpr int kShardedFormat = 2;  // each rank has written files of its own
constexpr int kHexadecimal = 16;

tl::unexpected<Error> refuse_manifest(const std::string& why) {
  return fail(ExitCode::no_valid_checkpoint, why);
}

/// A name that leads to a file of the folder, whoever wrote the manifest.
bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         name.find('\0') == name.npos;
}

std::optional<std::uint32_t> parse_crc32c(const nlohmann::json& text) {
  if (!text.is_string()) return std::nullopt;
  const auto& digits = text.get_ref<const std::string&>();
  const char* const end = digits.data() + digits.size();
  std::uint32_t crc32c = 0;
  const auto [parsed, error] = std::from_chars(digits.data(), end, crc32c, kHexadecimal);
  return error == std::errc() && parsed == end ? std::optional(crc32c) : std::nullopt;
}

std::optional<FileSum> parse_sum(const nlohmann::json& file) {
  if (!file.is_object() || !file.contains("size") || !file["size"].is_number_unsigned() ||
      !file.contains("crc32c"))
    return std::nullopt;
  const auto crc32c = parse_crc32c(file["crc32c"]);
  if (!crc32c) return std::nullopt;
  return FileSum{file["size"].get<std::uint64_t>(), *crc32c};
}

}  // namespace

Expected<Manifest> load_manifest(const std::filesystem::path& folder) {
  const auto text = load_file(folder / kManifestFile);
  if (!text && text.error().code == ExitCode::not_found) return refuse_manifest("is missing");
  if (!text) return refuse_manifest("cannot be read: " + text.error().message);
  const nlohmann::json value = nlohmann::json::parse(*text, nullptr, false);
  if (!value.is_object()) return refuse_manifest("is not a JSON object");
  const auto format = value.value("format", nlohmann::json());
  if (format != kWholeFormat && format != kShardedFormat)
    return refuse_manifest("has a format that this version cannot read");
  const auto files = value.find("files");
  if (files == value.end() || !files->is_object()) return refuse_manifest("names no files");
  Manifest manifest;
  for (const auto& [name, file] : files->items()) {
    const auto sum = parse_sum(file);
    if (!sum || !is_file_name(name))
      return refuse_manifest("has no valid size and crc32c for '" + name + "'");
    manifest[name] = *sum;
  }
  return manifest;
}

}  // namespace ddp::cli
