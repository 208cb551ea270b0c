#include "cli/checkpoint/find_checkpoints.hpp"

#include "jobenv/record/checkpoint_name.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::cli {
namespace {

using std::filesystem::path;

/// Those that a training would resume from, or report as damaged.
std::vector<path> checkpoints_in(const path& folder) {
  std::vector<path> found;
  const auto names = list_checkpoints(folder);
  if (!names) return found;
  for (const auto& name : *names) {
    auto checkpoint = folder / render_checkpoint_name(name);
    std::error_code error;
    const bool is_empty = std::filesystem::is_empty(checkpoint, error);
    if (name.kind >= CheckpointName::Kind::replaced && !is_empty) found.push_back(std::move(checkpoint));
  }
  return found;
}

}  // namespace

std::vector<path> find_checkpoints(const path& place, WantedCheckpoints wanted) {
  if (wanted == WantedCheckpoints::all) {
    for (const auto& folder : {RunFolder(place).checkpoints(), place}) {
      if (auto found = checkpoints_in(folder); !found.empty()) return found;
    }
  }
  if (auto found = find_checkpoint(place)) return {std::move(*found)};
  if (auto latest = find_latest_checkpoint(RunFolder(place))) return {std::move(latest->folder)};
  // One that has lost its manifest can still be looked at.
  std::error_code error;
  if (parse_checkpoint_name(place.filename()) && std::filesystem::is_directory(place, error)) return {place};
  return {};
}

}  // namespace ddp::cli
