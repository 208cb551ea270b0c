#include "jobenv/record/latest_checkpoint.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "jobenv/record/durable_file.hpp"

namespace ddp {
namespace {

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

}  // namespace

std::optional<LatestCheckpoint> find_latest_checkpoint(const RunFolder& run) {
  const auto text = load_file(run.checkpoints() / "LATEST");
  if (!text) return std::nullopt;
  const std::string name = text->substr(0, text->find('\n'));
  const auto step = step_of(name);
  std::error_code error;
  LatestCheckpoint latest{.step = step.value_or(0), .folder = run.checkpoints() / name, .parameters = {}};
  if (!step || !std::filesystem::is_directory(latest.folder, error)) return std::nullopt;
  if (auto file = latest.folder / "model.safetensors"; std::filesystem::exists(file, error))
    latest.parameters = std::move(file);
  return latest;
}

std::optional<std::int64_t> load_epochs_done(const LatestCheckpoint& checkpoint) {
  const auto text = load_file(checkpoint.folder / "state.json");
  const auto state = nlohmann::json::parse(text.value_or(""), nullptr, false);
  if (!state.is_object() || !state.contains("epoch") || !state["epoch"].is_number_integer())
    return std::nullopt;
  return state["epoch"].get<std::int64_t>();
}

}  // namespace ddp
