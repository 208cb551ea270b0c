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

Expected<std::string> load_text(const std::filesystem::path& file) {
  auto text = load_file(file);
  if (!text && text.error().code == ExitCode::not_found) return refuse_json("is missing");
  if (!text) return refuse_json("cannot be read: " + text.error().message);
  return text;
}

template <class T>
Expected<T> tell_fault(tl::expected<T, std::string> value) {
  if (!value) return refuse_json(value.error());
  return std::move(*value);
}

}  // namespace

Expected<trainer::Manifest> load_manifest(const std::filesystem::path& folder) {
  return load_text(folder / trainer::kManifestFile).and_then([](const std::string& text) {
    return tell_fault(trainer::parse_manifest(text));
  });
}

Expected<trainer::CheckpointState> load_checkpoint_state(const std::filesystem::path& folder) {
  return load_text(folder / trainer::kStateFile).and_then([&folder](const std::string& text) {
    return tell_fault(trainer::parse_checkpoint_state(text, folder));
  });
}

}  // namespace ddp::cli
