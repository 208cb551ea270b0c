#include "cli/checkpoint/manifest.hpp"

#include <string>
#include <utility>

#include "jobenv/record/files/durable_file.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::cli {
namespace {

tl::unexpected<Error> refuse_manifest(const std::string& why) {
  return fail(ExitCode::no_valid_checkpoint, why);
}

}  // namespace

Expected<trainer::Manifest> load_manifest(const std::filesystem::path& folder) {
  const auto text = load_file(folder / trainer::kManifestFile);
  if (!text && text.error().code == ExitCode::not_found) return refuse_manifest("is missing");
  if (!text) return refuse_manifest("cannot be read: " + text.error().message);
  auto manifest = trainer::parse_manifest(*text);
  if (!manifest) return refuse_manifest(manifest.error());
  return std::move(*manifest);
}

}  // namespace ddp::cli
