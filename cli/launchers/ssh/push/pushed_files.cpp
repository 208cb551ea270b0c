#include "cli/launchers/ssh/push/pushed_files.hpp"

#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "cli/launchers/ssh/push/file_hashes.hpp"
#include "cli/launchers/ssh/push/user_files.hpp"
#include "jobenv/config/utf8.hpp"
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

/// Where the files of a run are on this machine: in the copy of the working tree, or in the tree itself.
class FilePlaces {
 public:
  explicit FilePlaces(const LaunchRequest& request) {
    if (!request.spec.keeps_snapshot()) {
      roots_ = {request.plan.work_dir};
      return;
    }
    fs::path root = request.plan.submit_dir;
    for (const auto& part : folder_below_files(request))
      if (part != ".") root = root.parent_path();
    roots_ = {request.folder.source_tree(), root};
  }

  /// Empty: there is none.
  [[nodiscard]] fs::path find(const std::string& name) const {
    std::error_code error;
    for (const auto& root : roots_)
      if (fs::is_regular_file(root / name, error)) return root / name;
    return {};
  }

 private:
  std::vector<fs::path> roots_;
};

/// What is on this machine as it is in the order.
Expected<PushedFiles> find_earlier_files(const LaunchRequest& request, const EnvMap& user,
                                         CommandRunner& runner) {
  auto order = load_order(request.folder);
  if (!order) return tl::unexpected(order.error());
  PushedFiles files{std::move(*order), {}};
  const FilePlaces places(request);
  std::vector<fs::path> paths;
  for (const auto& each : files.order.files) {
    files.contents.files.push_back(each.file);
    if (auto path = places.find(each.file.name); !path.empty()) paths.push_back(std::move(path));
  }
  const auto hashes = hash_files_now(paths, user, runner);
  if (!hashes) return tl::unexpected(hashes.error());
  for (const auto& file : files.contents.files) {
    const auto hash = hashes->find(places.find(file.name));
    if (hash != hashes->end() && hash->second == file.sha256)
      files.contents.sources[file.sha256] = hash->first;
  }
  return files;
}

/// The files of the copy of the working tree, and its links.
Expected<std::map<std::string, FoundFile>> find_copied_files(const RunFolder& folder,
                                                             std::map<std::string, std::string>& links) {
  std::map<std::string, FoundFile> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder.source_tree(), error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().lexically_relative(folder.source_tree());
    const auto status = entry->symlink_status(error);
    if (has_control_character(name))
      return fail(ExitCode::preflight_failed,
                  "'" + name + "' has a control character or invalid UTF-8 in its name",
                  "rename it, and submit again");
    if (fs::is_symlink(status)) {
      links[name] = fs::read_symlink(entry->path(), error);
    } else if (fs::is_regular_file(status)) {
      const int mode = static_cast<int>(status.permissions()) & remote::kMaxMode;
      files[name] = {name, entry->file_size(error), mode};
    }
  }
  if (!error) return files;
  return fail(ExitCode::preflight_failed,
              "cannot read '" + folder.source_tree().string() + "': " + error.message());
}

/// Those that ssh.push names; a link of the copy is replaced by what it leads to.
Expected<void> add_user_files(const LaunchRequest& request, std::map<std::string, FoundFile>& files,
                              std::map<std::string, std::string>& links) {
  auto found = find_user_files(request.spec, folder_of_user_files(request));
  if (!found) return tl::unexpected(found.error().front());
  for (auto& file : *found) {
    file.name = (folder_below_files(request) / file.name).lexically_normal();
    for (fs::path part = file.name; part.has_relative_path(); part = part.parent_path()) links.erase(part);
    files.try_emplace(file.name, file);
  }
  return {};
}

Expected<PushedFiles> find_files_now(const LaunchRequest& request, const EnvMap& user,
                                     CommandRunner& runner) {
  PushedFiles files{{.run_id = request.plan.run_id, .files = {}}, {}};
  Expected<std::map<std::string, FoundFile>> found;
  if (request.spec.keeps_snapshot()) found = find_copied_files(request.folder, files.order.links);
  if (!found) return tl::unexpected(found.error());
  if (auto added = add_user_files(request, *found, files.order.links); !added)
    return tl::unexpected(added.error());
  const FilePlaces places(request);
  std::vector<fs::path> paths;
  for (const auto& [name, file] : *found) paths.push_back(places.find(name));
  const auto hashes = hash_files_now(paths, user, runner);
  if (!hashes) return tl::unexpected(hashes.error());
  for (const auto& [name, file] : *found) {
    const auto hash = hashes->find(places.find(name));
    if (hash == hashes->end()) return fail(ExitCode::preflight_failed, "'" + name + "' cannot be read");
    files.order.files.push_back({{name, hash->second, file.size}, file.mode});
    files.contents.files.push_back(files.order.files.back().file);
    files.contents.sources[hash->second] = hash->first;
  }
  return files;
}

}  // namespace

fs::path folder_of_user_files(const LaunchRequest& request) {
  return request.spec.keeps_snapshot() ? request.plan.submit_dir : request.plan.work_dir;
}

fs::path folder_below_files(const LaunchRequest& request) {
  if (!request.spec.keeps_snapshot()) return ".";
  return fs::path(request.plan.work_dir).lexically_relative(request.folder.source_tree());
}

bool has_pushed_files(const RunFolder& folder) {
  std::error_code error;
  return fs::exists(folder.pushed_files(), error);
}

Expected<PushedFiles> collect_files(const LaunchRequest& request, const EnvMap& user, CommandRunner& runner) {
  if (options_of<SshOptions>(request.spec).push.empty() && !request.spec.keeps_snapshot())
    return PushedFiles{};
  if (has_pushed_files(request.folder)) return find_earlier_files(request, user, runner);
  return find_files_now(request, user, runner);
}

Expected<void> record_files(const RunFolder& folder, const PushedFiles& files) {
  if (files.empty() || has_pushed_files(folder)) return {};
  return save_file(folder.pushed_files(), remote::render_request(files.order) + "\n", Durability::synced);
}

}  // namespace ddp::cli
