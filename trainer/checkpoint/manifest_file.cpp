#include "trainer/checkpoint/manifest_file.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>
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
  return parse_manifest_of(folder, load_manifest_text(folder));
}

std::string load_manifest_text(const path& folder) {
  return load_text(folder / kManifestFile).first;
}

Manifest parse_manifest_of(const path& folder, std::string_view text) {
  auto manifest = parse_manifest(text);
  if (!manifest) throw std::runtime_error("'" + (folder / kManifestFile).string() + "' " + manifest.error());
  return std::move(*manifest);
}

const FileSum& sum_of(const Manifest& manifest, const path& folder, const std::string& name) {
  const auto found = manifest.files.find(name);
  if (found == manifest.files.end())
    throw std::runtime_error("the manifest of '" + folder.string() + "' does not name '" + name + "'");
  return found->second;
}

void check_sum(const path& file, const FileSum& read, const FileSum& expected) {
  if (read == expected) return;
  throw std::runtime_error("'" + file.string() + "' does not match its manifest: " + describe_sum(read) +
                           ", not " + describe_sum(expected));
}

// The file is opened, not looked for: over NFS a look may be answered from a cache, and to open a file asks
// the server. There, a file that is open and that another host deletes gives ESTALE instead of its bytes.
bool was_deleted(const path& folder, std::string_view manifest) {
  try {
    return load_manifest_text(folder) != manifest;
  } catch (const std::system_error& error) {
    const int code = error.code().value();
    return code == ENOENT || code == ESTALE;
  } catch (const std::exception&) {
    return false;
  }
}

std::string describe_deletion(const path& folder) {
  return "the checkpoint '" + folder.string() + "' was deleted while it was read";
}

}  // namespace ddp::trainer
