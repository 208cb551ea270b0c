#include "trainer/checkpoint/format/manifest.hpp"

#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "jobenv/record/fields/json_text.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kHexadecimal = 16;

std::optional<std::uint32_t> parse_crc32c(const json& text) {
  if (!text.is_string()) return std::nullopt;
  const auto& digits = text.get_ref<const std::string&>();
  const char* const end = digits.data() + digits.size();
  std::uint32_t crc32c = 0;
  const auto [parsed, error] = std::from_chars(digits.data(), end, crc32c, kHexadecimal);
  return error == std::errc() && parsed == end ? std::optional(crc32c) : std::nullopt;
}

std::optional<FileSum> parse_sum(const json& file) {
  if (!file.is_object() || !file.contains("size") || !file["size"].is_number_unsigned() ||
      !file.contains("crc32c"))
    return std::nullopt;
  const auto crc32c = parse_crc32c(file["crc32c"]);
  if (!crc32c) return std::nullopt;
  return FileSum{file["size"].get<std::uint64_t>(), *crc32c};
}

ordered_json sums_to_json(const FileSums& sums) {
  ordered_json files = ordered_json::object();
  for (const auto& [name, sum] : sums)
    files[name] = {{"size", sum.size}, {"crc32c", render_crc32c(sum.crc32c)}};
  return files;
}

tl::expected<FileSums, std::string> sums_from_json(const json& files) {
  if (!files.is_object()) return tl::unexpected<std::string>("names no files");
  FileSums sums;
  for (const auto& [name, file] : files.items()) {
    const auto sum = parse_sum(file);
    if (!sum || !is_name_in_folder(name))
      return tl::unexpected("has no valid size and crc32c for '" + name + "'");
    sums[name] = *sum;
  }
  return sums;
}

std::optional<CheckpointFormat> format_from_json(const json& format) {
  for (const auto known : {CheckpointFormat::whole, CheckpointFormat::sharded})
    if (format == static_cast<int>(known)) return known;
  return std::nullopt;
}

}  // namespace

std::string render_manifest(const Manifest& manifest) {
  const ordered_json value{{"format", static_cast<int>(manifest.format)},
                           {"files", sums_to_json(manifest.files)}};
  return value.dump(2) + "\n";
}

tl::expected<Manifest, std::string> parse_manifest(std::string_view text) {
  const json value = parse_json(text);
  if (!value.is_object()) return tl::unexpected<std::string>("is not a JSON object");
  if (!value.contains("format")) return tl::unexpected<std::string>("has no format");
  const auto format = format_from_json(value["format"]);
  if (!format)
    return tl::unexpected("has the format " + value["format"].dump() +
                          ", which only a newer version can read");
  auto files = sums_from_json(value.value("files", json()));
  if (!files) return tl::unexpected(files.error());
  return Manifest{.format = *format, .files = std::move(*files)};
}

std::string render_file_sums(const FileSums& sums) {
  return sums_to_json(sums).dump();
}

tl::expected<FileSums, std::string> parse_file_sums(std::string_view text) {
  return sums_from_json(parse_json(text));
}

std::string render_crc32c(std::uint32_t crc32c) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08" PRIx32, crc32c);
  return text.data();
}

}  // namespace ddp::trainer
