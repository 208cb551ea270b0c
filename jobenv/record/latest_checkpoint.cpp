#include "jobenv/record/latest_checkpoint.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "jobenv/record/checkpoint_format.hpp"
#include "jobenv/record/checkpoint_name.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp {
namespace {

using std::filesystem::path;

/// The folder that LATEST or BEST names beside itself.
std::optional<path> named_by(const path& pointer) {
  const auto text = load_file(pointer);
  if (!text) return std::nullopt;
  const std::string name = text->substr(0, text->find('\n'));
  path folder = pointer.parent_path() / name;
  if (!parse_checkpoint_name(name) || !is_checkpoint(folder)) return std::nullopt;
  return folder;
}

nlohmann::json load_manifest(const path& folder) {
  return parse_json(load_file(folder / "manifest.json").value_or(""));
}

bool is_sharded_checkpoint(const path& folder) {
  const auto manifest = load_manifest(folder);
  return manifest.is_object() && manifest.contains("format") &&
         manifest["format"] == static_cast<int>(CheckpointFormat::sharded);
}

}  // namespace

bool is_checkpoint(const path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / "manifest.json", error);
}

bool has_all_files(const path& checkpoint) {
  const auto manifest = load_manifest(checkpoint);
  if (!manifest.is_object() || !manifest.contains("files") || !manifest["files"].is_object()) return false;
  const auto& files = manifest["files"].items();
  return std::all_of(files.begin(), files.end(), [&](const auto& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(checkpoint / file.key(), error);
    return !error && file.value().is_object() && file.value().contains("size") &&
           file.value()["size"] == size;
  });
}

std::optional<LatestCheckpoint> find_latest_checkpoint(const RunFolder& run) {
  const auto names = list_checkpoints(run.checkpoints());
  if (!names) return std::nullopt;
  const auto newest = std::ranges::find_if(*names, [&run](const CheckpointName& name) {
    return name.kind >= CheckpointName::Kind::replaced &&
           is_checkpoint(run.checkpoints() / render_checkpoint_name(name));
  });
  if (newest == names->end()) return std::nullopt;
  LatestCheckpoint latest{
      .step = newest->step, .folder = run.checkpoints() / render_checkpoint_name(*newest), .parameters = {}};
  std::error_code error;
  if (auto file = latest.folder / "model.safetensors"; std::filesystem::exists(file, error))
    latest.parameters = std::move(file);
  else
    latest.is_sharded = is_sharded_checkpoint(latest.folder);
  return latest;
}

std::optional<path> find_checkpoint(const path& place) {
  std::error_code error;
  if (std::filesystem::is_regular_file(place, error)) return named_by(place);
  if (is_checkpoint(place)) return place;
  if (auto newest = named_by(place / "LATEST")) return newest;
  return named_by(RunFolder(place).checkpoints() / "LATEST");
}

std::optional<std::int64_t> load_epochs_done(const LatestCheckpoint& checkpoint) {
  const auto text = load_file(checkpoint.folder / "state.json");
  const auto state = parse_json(text.value_or(""));
  if (!state.is_object() || !state.contains("epoch") || !state["epoch"].is_number_integer())
    return std::nullopt;
  return state["epoch"].get<std::int64_t>();
}

}  // namespace ddp
