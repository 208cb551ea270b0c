#include "cli/launchers/ssh/push/restored_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/launchers/ssh/push/file_hashes.hpp"
#include "cli/store/state/recorded_status.hpp"
#include "cli/store/state/run_records.hpp"
#include "jobenv/record/checkpoint_name.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_piece.hpp"
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

/// What rank 0 had written. The files of other hosts are theirs.
void add_output(const RunFolder& folder, const std::string& last_host,
                const std::vector<remote::HostFile>& there, std::vector<fs::path>& wanted) {
  for (const auto& [path, host] : load_origins(folder)) {
    std::error_code error;
    const auto known = std::ranges::find(there, path, &remote::HostFile::path);
    const bool is_known = known != there.end() && is_here(folder, *known);
    if (host == last_host && !is_known && fs::is_regular_file(folder.root() / path, error))
      wanted.emplace_back(path);
  }
}

/// Of a training whose newest checkpoint is neither here nor on the new first host. It does not begin anew
/// without a word. `older`: the one that it can go on from. Empty: nothing is lost.
Expected<std::string> explain_loss(const RunFolder& folder, const std::optional<CheckpointName>& older,
                                   const std::string& host, const std::string& last_host) {
  const auto latest = find_latest_checkpoint(folder);
  const auto newest = latest ? parse_checkpoint_name(latest->folder.filename()) : std::nullopt;
  if (!newest || has_all_files(latest->folder) || (older && !(*older < *newest))) return std::string();
  const auto what = fmt::format("the newest checkpoint of the run, {}, is neither on {} nor here, but on {}",
                                render_checkpoint_name(*newest), host, last_host);
  if (older)
    return fmt::format("warning: {}, which does not answer; the run goes on from {}", what,
                       render_checkpoint_name(*older));
  return fail(
      ExitCode::preflight_failed, what,
      fmt::format(
          "when that host answers, repeat the rerun; if it is gone for good, delete '{}', and the run "
          "begins at step 0",
          folder.checkpoints().string()));
}

}  // namespace

/// A file system may keep times less exactly.
bool is_here(const RunFolder& folder, const remote::HostFile& file) {
  struct stat found {};
  if (lstat((folder.root() / file.path).c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  constexpr std::uint64_t kSecond = 1'000'000'000, kMicrosecond = 1'000;
  const auto part = static_cast<std::uint64_t>(found.st_mtim.tv_nsec);
  const bool same_part = part == 0 || part / kMicrosecond == file.changed % kSecond / kMicrosecond;
  return static_cast<std::uint64_t>(found.st_size) == file.size &&
         static_cast<std::uint64_t>(found.st_mtim.tv_sec) == file.changed / kSecond && same_part;
}

std::string find_last_host(const RunFolder& folder) {
  const auto records = load_run_records(folder, RankEvents::skip);
  const auto attempts = records ? derive_status(*records).attempts : std::vector<AttemptStatus>();
  return attempts.empty() ? std::string() : attempts.back().host;
}

Expected<RestoredFiles> find_restored_files(RemoteHost& host, const std::string& name,
                                            const RunFolder& folder, const EnvMap& user,
                                            CommandRunner& runner) {
  const auto last_host = find_last_host(folder);
  if (last_host.empty() || last_host == name) return RestoredFiles{};
  const remote::ListFiles question{folder.run_id(), {"checkpoints", "output"}};
  const auto there = ask_for<remote::FilesListed>(host, name, question);
  if (!there) return tl::unexpected(there.error());
  const auto newest = newest_of(there->files);
  const auto checkpoint = find_whole_checkpoint(folder);
  auto loss = explain_loss(folder, std::max(newest, checkpoint), name, last_host);
  if (!loss) return tl::unexpected(loss.error());
  std::vector<fs::path> wanted;
  add_output(folder, last_host, there->files, wanted);
  if (checkpoint && (!newest || *newest < *checkpoint))
    add_files(folder, folder.checkpoints() / render_checkpoint_name(*checkpoint), wanted);
  // The manifest comes last, so that a checkpoint which lacks files has none.
  std::ranges::stable_partition(wanted,
                                [](const fs::path& path) { return path.filename() != "manifest.json"; });
  auto restored = wanted.empty() ? Expected<RestoredFiles>() : collect(folder, wanted, user, runner);
  if (restored) restored->warning = std::move(*loss);
  return restored;
}

std::map<std::string, std::string> load_origins(const RunFolder& folder) {
  std::map<std::string, std::string> origins;
  const auto json = parse_json(load_file(folder.fetched_files()).value_or(""));
  if (!json.is_object()) return origins;
  for (const auto& [path, host] : json.items())
    if (host.is_string() && stays_below(path)) origins[path] = host.get<std::string>();
  return origins;
}

Expected<void> save_origins(const RunFolder& folder, const std::map<std::string, std::string>& origins) {
  return save_file(folder.fetched_files(), nlohmann::json(origins).dump(1) + "\n", Durability::synced);
}

std::optional<std::string> find_newest_checkpoint(const std::vector<remote::HostFile>& files) {
  const auto newest = newest_of(files);
  return newest ? std::optional(render_checkpoint_name(*newest)) : std::nullopt;
}

}  // namespace ddp::cli
