#include "trainer/checkpoint/manifest.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "trainer/checkpoint/json_file.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using std::filesystem::path;

constexpr const char* kManifest = "manifest.json";

std::string render_crc32c(std::uint32_t crc32c) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08" PRIx32, crc32c);
  return text.data();
}

ordered_json sums_to_json(const FileSums& sums) {
  ordered_json files = ordered_json::object();
  for (const auto& [name, sum] : sums)
    files[name] = {{"size", sum.size}, {"crc32c", render_crc32c(sum.crc32c)}};
  return files;
}

FileSums sums_from_json(const json& files) {
  FileSums sums;
  for (const auto& [name, file] : files.items()) {
    const auto text = file.at("crc32c").get<std::string>();
    const auto crc32c = static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
    sums[name] = {file.at("size").get<std::uint64_t>(), crc32c};
  }
  return sums;
}

CheckpointFormat format_from_json(const json& format) {
  for (const auto known : {CheckpointFormat::whole, CheckpointFormat::sharded})
    if (format == static_cast<int>(known)) return known;
  throw std::runtime_error("this version of ddptrain cannot read format " + format.dump() +
                           ", which a newer one writes");
}

std::string describe_sum(const FileSum& sum) {
  return std::to_string(sum.size) + " bytes with crc32c " + render_crc32c(sum.crc32c);
}

}  // namespace

void save_manifest(const path& folder, const Manifest& manifest) {
  const ordered_json value{{"format", static_cast<int>(manifest.format)},
                           {"files", sums_to_json(manifest.files)}};
  save_text(folder / kManifest, value.dump(2) + "\n");
}

Manifest load_manifest(const path& folder) {
  const json value = load_json(folder / kManifest).first;
  try {
    return {.format = format_from_json(value.at("format")), .files = sums_from_json(value.at("files"))};
  } catch (const std::exception& error) {
    throw std::runtime_error("'" + (folder / kManifest).string() +
                             "' is not a valid checkpoint manifest: " + error.what());
  }
}

void check_sum(const path& file, const FileSum& read, const FileSum& expected) {
  if (read == expected) return;
  throw std::runtime_error("'" + file.string() + "' does not match its manifest: " + describe_sum(read) +
                           ", not " + describe_sum(expected));
}

std::string render_file_sums(const FileSums& sums) {
  return sums_to_json(sums).dump();
}

FileSums parse_file_sums(std::string_view text) try {
  return sums_from_json(json::parse(text));
} catch (const std::exception& error) {
  throw std::runtime_error(std::string("invalid sums of files: ") + error.what());
}

}  // namespace ddp::trainer
