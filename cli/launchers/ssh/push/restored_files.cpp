#include "cli/launchers/ssh/push/restored_files.hpp"

#include <algorithm>

#include "cli/launchers/ssh/push/file_hashes.hpp"
#include "jobenv/record/checkpoint_name.hpp"
#include "jobenv/record/latest_checkpoint.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// One that a training would go on from, in the folder of a run here.
std::optional<CheckpointName> find_whole_checkpoint(const RunFolder& folder) {
  const auto names = list_checkpoints(folder.checkpoints());
  if (!names) return std::nullopt;
  const auto whole = std::ranges::find_if(*names, [&](const CheckpointName& name) {
    return name.kind == CheckpointName::Kind::committed &&
           has_all_files(folder.checkpoints() / render_checkpoint_name(name));
  });
  return whole == names->end() ? std::nullopt : std::optional(*whole);
}

std::optional<CheckpointName> newest_of(const std::vector<remote::HostFile>& files) {
  std::optional<CheckpointName> newest;
  for (const auto& file : files) {
    const fs::path path = file.path;
    const auto name = parse_checkpoint_name(path.parent_path().filename());
    const bool counts = path.filename() == "manifest.json" && name &&
                        name->kind == CheckpointName::Kind::committed &&
                        path.parent_path().parent_path() == "checkpoints";
    if (counts && (!newest || *newest < *name)) newest = name;
  }
  return newest;
}

void add_files(const RunFolder& folder, const fs::path& below, std::vector<fs::path>& files) {
  std::error_code error;
  fs::recursive_directory_iterator entry(below, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    if (fs::is_regular_file(entry->symlink_status(error)))
      files.push_back(entry->path().lexically_relative(folder.root()));
}

/// `paths`: below the folder.
Expected<RestoredFiles> collect(const RunFolder& folder, const std::vector<fs::path>& paths,
                                const EnvMap& user, CommandRunner& runner) {
  RestoredFiles found{{folder.run_id(), {}}, {}};
  std::vector<fs::path> places;
  for (const auto& path : paths) places.push_back(folder.root() / path);
  const auto hashes = hash_files(places, user, runner);
  if (!hashes) return tl::unexpected(hashes.error());
  for (const auto& path : paths) {
    const fs::path place = folder.root() / path;
    std::error_code error;
    const auto mode = static_cast<int>(fs::status(place, error).permissions()) & remote::kMaxMode;
    const auto size = fs::file_size(place, error);
    if (error) return fail(ExitCode::preflight_failed, "'" + place.string() + "' cannot be read");
    found.order.files.push_back({{path, hashes->at(place), size}, mode});
    found.contents.files.push_back(found.order.files.back().file);
    found.contents.sources[hashes->at(place)] = place;
  }
  return found;
}

}  // namespace

Expected<RestoredFiles> find_restored_files(RemoteHost& host, const std::string& name,
                                            const RunFolder& folder, const EnvMap& user,
                                            CommandRunner& runner) {
  const auto checkpoint = find_whole_checkpoint(folder);
  std::vector<fs::path> output, wanted;
  add_files(folder, folder.output(), output);
  if (!checkpoint && output.empty()) return RestoredFiles{};
  const remote::ListFiles question{folder.run_id(), {"checkpoints", "output"}};
  const auto there = ask_for<remote::FilesListed>(host, name, question);
  if (!there) return tl::unexpected(there.error());
  const auto newest = newest_of(there->files);
  if (checkpoint && (!newest || *newest < *checkpoint))
    add_files(folder, folder.checkpoints() / render_checkpoint_name(*checkpoint), wanted);
  const bool has_output = std::ranges::any_of(
      there->files, [](const remote::HostFile& file) { return file.path.starts_with("output/"); });
  if (!has_output) wanted.insert(wanted.end(), output.begin(), output.end());
  return wanted.empty() ? RestoredFiles{} : collect(folder, wanted, user, runner);
}

std::optional<std::string> find_newest_checkpoint(const std::vector<remote::HostFile>& files) {
  const auto newest = newest_of(files);
  return newest ? std::optional(render_checkpoint_name(*newest)) : std::nullopt;
}

}  // namespace ddp::cli
