#include "trainer/checkpoint/manifest_file.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "trainer/checkpoint/format/file_names.hpp"
#include "trainer/checkpoint/text_file.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;

std::string describe_sum(const FileSum& sum) {
  return std::to_string(sum.size) + " bytes with crc32c " + render_crc32c(sum.crc32c);
}

}  // namespace

void save_manifest(const path& folder, const Manifest& manifest) {
  save_text(folder / kManifestFile, render_manifest(manifest));
}

Manifest load_manifest(const path& folder) {
  const path file = folder / kManifestFile;
  auto manifest = parse_manifest(load_text(file).first);
  if (!manifest) throw std::runtime_error("'" + file.string() + "' " + manifest.error());
  return std::move(*manifest);
}

void check_sum(const path& file, const FileSum& read, const FileSum& expected) {
  if (read == expected) return;
  throw std::runtime_error("'" + file.string() + "' does not match its manifest: " + describe_sum(read) +
                           ", not " + describe_sum(expected));
}

}  // namespace ddp::trainer
