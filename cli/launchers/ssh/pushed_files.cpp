#include "cli/launchers/ssh/pushed_files.hpp"

#include "cli/launchers/ssh/file_hashes.hpp"
#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "cli/launchers/ssh/user_files.hpp"
#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

Expected<remote::PlaceFiles> load_order(const RunFolder& folder) {
  const auto text = load_file(folder.pushed_files());
  if (!text) return tl::unexpected(text.error());
  auto request = remote::parse_request(*text);
  if (!request) return tl::unexpected(request.error().context(folder.pushed_files().string()));
  if (auto* order = std::get_if<remote::PlaceFiles>(&*request)) return std::move(*order);
  return fail(ExitCode::run_failed, folder.pushed_files().string() + " is not a list of a run's files");
}

/// What is on this machine as it is in the order.
Expected<PushedFiles> find_earlier_files(const LaunchRequest& request, const EnvMap& user,
                                         CommandRunner& runner) {
  auto order = load_order(request.folder);
  if (!order) return tl::unexpected(order.error());
  PushedFiles files{std::move(*order), {}};
  std::vector<fs::path> paths;
  for (const auto& each : files.order.files) {
    files.contents.files.push_back(each.file);
    std::error_code error;
    const fs::path path = request.plan.work_dir / fs::path(each.file.name);
    if (fs::is_regular_file(path, error)) paths.push_back(path);
  }
  const auto hashes = hash_files_now(paths, user, runner);
  if (!hashes) return tl::unexpected(hashes.error());
  for (const auto& file : files.contents.files) {
    const auto hash = hashes->find(request.plan.work_dir / fs::path(file.name));
    if (hash != hashes->end() && hash->second == file.sha256)
      files.contents.sources[file.sha256] = hash->first;
  }
  return files;
}

Expected<PushedFiles> find_files_now(const LaunchRequest& request, const EnvMap& user,
                                     CommandRunner& runner) {
  const fs::path place = request.plan.work_dir;
  const auto found = find_user_files(request.spec, place);
  if (!found) return tl::unexpected(found.error().front());
  std::vector<fs::path> paths;
  for (const auto& file : *found) paths.push_back(place / file.name);
  const auto hashes = hash_files_now(paths, user, runner);
  if (!hashes) return tl::unexpected(hashes.error());
  PushedFiles files{{.run_id = request.plan.run_id, .files = {}}, {}};
  for (const auto& file : *found) {
    const auto hash = hashes->find(place / file.name);
    if (hash == hashes->end()) return fail(ExitCode::preflight_failed, "'" + file.name + "' cannot be read");
    files.order.files.push_back({{file.name, hash->second, file.size}, file.mode});
    files.contents.files.push_back(files.order.files.back().file);
    files.contents.sources[hash->second] = hash->first;
  }
  return files;
}

}  // namespace

bool has_pushed_files(const RunFolder& folder) {
  std::error_code error;
  return fs::exists(folder.pushed_files(), error);
}

Expected<PushedFiles> collect_files(const LaunchRequest& request, const EnvMap& user, CommandRunner& runner) {
  if (options_of<SshOptions>(request.spec).push.empty()) return PushedFiles{};
  if (has_pushed_files(request.folder)) return find_earlier_files(request, user, runner);
  return find_files_now(request, user, runner);
}

Expected<void> record_files(const RunFolder& folder, const PushedFiles& files) {
  if (files.empty() || has_pushed_files(folder)) return {};
  return save_file(folder.pushed_files(), remote::render_request(files.order) + "\n", Durability::synced);
}

}  // namespace ddp::cli
