#include "cli/checkpoint/checkpoint_json.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "jobenv/record/files/durable_file.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::cli {
namespace {

tl::unexpected<Error> refuse_json(const std::string& why) {
  return fail(ExitCode::no_valid_checkpoint, why);
}

template <class T>
Expected<T> load_json(const std::filesystem::path& file,
                      tl::expected<T, std::string> (*parse)(std::string_view)) {
  const auto text = load_file(file);
  if (!text && text.error().code == ExitCode::not_found) return refuse_json("is missing");
  if (!text) return refuse_json("cannot be read: " + text.error().message);
  auto value = parse(*text);
  if (!value) return refuse_json(value.error());
  return std::move(*value);
}

}  // namespace

Expected<trainer::Manifest> load_manifest(const std::filesystem::path& folder) {
  return load_json(folder / trainer::kManifestFile, &trainer::parse_manifest);
}

Expected<trainer::CheckpointState> load_checkpoint_state(const std::filesystem::path& folder) {
  return load_json(folder / trainer::kStateFile, &trainer::parse_checkpoint_state);
}

}  // namespace ddp::cli
