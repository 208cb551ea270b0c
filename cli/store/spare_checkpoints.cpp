#include "cli/store/spare_checkpoints.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>

#include "cli/store/remove_tree.hpp"
#include "jobenv/record/checkpoint_name.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using Kind = CheckpointName::Kind;

/// The name in LATEST or BEST; empty: there is no such file.
Expected<std::string> load_name(const fs::path& file) {
  const auto text = load_file(file);
  if (!text && text.error().code == ExitCode::not_found) return std::string();
  return text ? text->substr(0, text->find('\n')) : text;
}

/// A checkpoint of the same step and attempt that is in its place.
CheckpointName in_place_of(CheckpointName name) {
  name.kind = Kind::committed;
  return name;
}

}  // namespace

std::vector<fs::path> find_spare_checkpoints(const RunFolder& run) {
  const auto folder = run.checkpoints();
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(folder, error))) return {};
  const auto newest = find_latest_checkpoint(run);
  const auto names = list_checkpoints(folder);
  if (!newest || !names) return {};
  const auto latest = load_name(folder / "LATEST");
  const auto best = load_name(folder / "BEST");
  if (!latest || !best) return {};
  const std::set<std::string> needed{newest->folder.filename().string(), *latest, *best};
  std::vector<fs::path> spare;
  for (const auto& name : *names) {
    const bool stands_in =
        name.kind == Kind::replaced && !is_checkpoint(folder / render_checkpoint_name(in_place_of(name)));
    const auto text = render_checkpoint_name(name);
    if (!needed.contains(text) && !stands_in) spare.push_back(folder / text);
  }
  return spare;
}

Expected<void> remove_checkpoint(const fs::path& checkpoint) {
  auto name = parse_checkpoint_name(checkpoint.filename());
  if (!name)
    return fail(ExitCode::run_failed, "'" + checkpoint.string() + "' does not have the name of a checkpoint");
  name->kind = Kind::removed;
  const auto place = checkpoint.parent_path() / render_checkpoint_name(*name);
  if (place != checkpoint) {
    if (auto removed = remove_tree(place); !removed) return removed;  // of an earlier one with that name
    if (rename(checkpoint.c_str(), place.c_str()) != 0)
      return fail_errno(ExitCode::run_failed, "cannot rename '" + checkpoint.string() + "'", errno);
  }
  return remove_tree(place);
}

}  // namespace ddp::cli
