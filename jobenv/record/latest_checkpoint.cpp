#include "jobenv/record/latest_checkpoint.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "jobenv/record/durable_file.hpp"

namespace ddp {
namespace {

using std::filesystem::path;

/// Of "step-NNNNNNNN-aN".
std::optional<std::uint64_t> step_of(std::string_view name) {
  constexpr std::string_view kPrefix = "step-";
  if (!name.starts_with(kPrefix) || name.find('/') != name.npos) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::uint64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  const std::string_view rest(end, static_cast<std::size_t>(name.data() + name.size() - end));
  if (error != std::errc{} || !rest.starts_with("-a")) return std::nullopt;
  return step;
}

/// The folder that LATEST or BEST names beside itself.
std::optional<path> named_by(const path& pointer) {
  const auto text = load_file(pointer);
  if (!text) return std::nullopt;
  const std::string name = text->substr(0, text->find('\n'));
  std::error_code error;
  path folder = pointer.parent_path() / name;
  if (!step_of(name) || !std::filesystem::is_directory(folder, error)) return std::nullopt;
  return folder;
}

path latest_of(const RunFolder& run) {
  return run.checkpoints() / "LATEST";
}

}  // namespace

std::optional<LatestCheckpoint> find_latest_checkpoint(const RunFolder& run) {
  auto folder = named_by(latest_of(run));
  if (!folder) return std::nullopt;
  LatestCheckpoint latest{.step = *step_of(folder->filename().string()), .folder = {}, .parameters = {}};
  std::error_code error;
  if (auto file = *folder / "model.safetensors"; std::filesystem::exists(file, error))
    latest.parameters = std::move(file);
  latest.folder = std::move(*folder);
  return latest;
}

std::optional<path> find_checkpoint(const path& place) {
  std::error_code error;
  if (std::filesystem::is_regular_file(place, error)) return named_by(place);
  if (std::filesystem::exists(place / "manifest.json", error)) return place;
  if (auto newest = named_by(place / "LATEST")) return newest;
  return named_by(latest_of(RunFolder(place)));
}

std::optional<std::int64_t> load_epochs_done(const LatestCheckpoint& checkpoint) {
  const auto text = load_file(checkpoint.folder / "state.json");
  const auto state = nlohmann::json::parse(text.value_or(""), nullptr, false);
  if (!state.is_object() || !state.contains("epoch") || !state["epoch"].is_number_integer())
    return std::nullopt;
  return state["epoch"].get<std::int64_t>();
}

}  // namespace ddp
