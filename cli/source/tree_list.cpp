#include "cli/source/tree_list.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <utility>

#include "cli/source/git.hpp"
#include "cli/source/plain_files.hpp"
#include "cli/source/run_folders.hpp"
#include "jobenv/config/scalar.hpp"
#include "jobenv/record/files/last_slash.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTreeFiles = 100'000;
constexpr std::size_t kMostNamedParts = 3;
constexpr std::size_t kTagLength = 2;

class TreeSearch {
 public:
  explicit TreeSearch(const WorkTree& tree) : tree_(tree), runs_(tree.root) {}

  Expected<TreeList> run(const EnvMap& user, CommandRunner& runner) {
    auto searched =
        tree_.kind == TreeKind::git ? add_repository(Git(tree_.root, user, runner), {}) : add_plain_files();
    if (!searched) return tl::unexpected(searched.error());
    TreeList list;
    for (auto& [name, entry] : entries_) {
      list.bytes += entry.bytes;
      list.entries.push_back(std::move(entry));
    }
    return list;
  }

 private:
  Expected<void> add_plain_files() {
    const auto files = list_plain_files(tree_.root, kMostTreeFiles);
    if (!files) return tl::unexpected(files.error());
    for (const auto& name : *files) {
      if (auto added = add({.name = name}, nullptr); !added) return added;
    }
    return {};
  }

  /// git writes a letter and a blank before each name: "? " if it does not track the file. `place` is the
  /// folder of the repository below the root; empty: it is the root.
  Expected<void> add_repository(const Git& git, const fs::path& place) {
    const auto result = git.ask({"ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"});
    if (!result || !result->succeeded()) {
      const auto why = result ? explain_git(*result) : result.error().message;
      return fail(ExitCode::preflight_failed,
                  "the files of '" + (tree_.root / place).string() + "' cannot be listed: " + why,
                  "make `git status` work there, or turn environment.snapshot off");
    }
    for (std::size_t at = 0; at < result->out.size();) {
      const auto end = result->out.find('\0', at);
      const auto line = result->out.substr(at, end - at);
      TreeEntry entry{.name = place / line.substr(std::min(line.size(), kTagLength)),
                      .tracked = !line.starts_with('?')};
      entry.name = without_last_slash(entry.name);  // git writes one behind a repository
      if (auto added = add(std::move(entry), &git); !added) return added;
      if (end == std::string::npos) break;
      at = end + 1;
    }
    return {};
  }

  /// What git lists may be gone, and a folder is a repository.
  Expected<void> add(TreeEntry entry, const Git* git) {
    const fs::path name = entry.name;
    const fs::path path = tree_.root / name;
    struct stat found {};
    if (entries_.contains(name) || runs_.hold(name) || is_behind_link(name) ||
        lstat(path.c_str(), &found) != 0)
      return {};
    if (S_ISREG(found.st_mode)) {
      entry.bytes = static_cast<std::uint64_t>(found.st_size);
    } else if (S_ISLNK(found.st_mode)) {
      entry.kind = EntryKind::link;
    } else if (S_ISDIR(found.st_mode) && git != nullptr) {
      if (!find_git_folder(path).empty()) return add_repository(git->of(path), name);
      entry.kind = EntryKind::folder;
    } else {
      return {};
    }
    entries_[name] = std::move(entry);
    return {};
  }

  /// Whether one of the folders that `name` is in is a link. git goes on to track what was there before.
  bool is_behind_link(const fs::path& name) {
    const fs::path folder = name.parent_path();
    if (folder.empty()) return false;
    const auto place = behind_link_.find(folder);
    if (place != behind_link_.end()) return place->second;
    std::error_code error;
    const bool is_behind = is_behind_link(folder) || fs::is_symlink(tree_.root / folder, error);
    behind_link_[folder] = is_behind;
    return is_behind;
  }

  const WorkTree& tree_;
  RunFolders runs_;
  std::map<fs::path, TreeEntry> entries_;
  std::map<fs::path, bool> behind_link_;  // by the folder that a file is in
};

/// "data (3GiB), weights.pt (1GiB)"
std::string name_largest_parts(const TreeList& list) {
  std::map<std::string, std::uint64_t> sizes;
  for (const auto& entry : list.entries) sizes[entry.name.begin()->string()] += entry.bytes;
  std::vector<std::pair<std::string, std::uint64_t>> parts(sizes.begin(), sizes.end());
  std::ranges::stable_sort(parts, std::ranges::greater(), [](const auto& part) { return part.second; });
  if (parts.size() > kMostNamedParts) parts.resize(kMostNamedParts);
  std::string names;
  for (const auto& [name, bytes] : parts)
    names += fmt::format("{}{} ({:.1f} MiB)", names.empty() ? "" : ", ", name,
                         static_cast<double>(bytes) / (1u << 20));
  return names;
}

std::string advise_on_ignoring(const WorkTree& tree) {
  return tree.kind == TreeKind::git
             ? "list in .gitignore what is not code"
             : "make the folder a repository (git init), and list in .gitignore what is "
               "not code";
}

}  // namespace

const TreeEntry* TreeList::find(const fs::path& name) const {
  const auto place = without_last_slash(name);
  const auto entry = std::ranges::lower_bound(entries, place, {}, &TreeEntry::name);
  return entry != entries.end() && lies_inside(entry->name, place) ? &*entry : nullptr;
}

Expected<TreeList> list_tree(const WorkTree& tree, const EnvMap& user, CommandRunner& runner) {
  return TreeSearch(tree).run(user, runner);
}

std::optional<Error> find_too_large(const TreeList& list, const WorkTree& tree, std::uint64_t limit) {
  const bool too_many = list.entries.size() > kMostTreeFiles;
  if (!too_many && list.bytes <= limit) return std::nullopt;
  const auto what = too_many
                        ? fmt::format("has more than {} files", kMostTreeFiles)
                        : fmt::format("is larger than environment.snapshot_limit, {}", render_size(limit));
  auto hint = advise_on_ignoring(tree) + "; the largest parts: " + name_largest_parts(list);
  if (!too_many) hint += "; or set a higher environment.snapshot_limit";
  return Error{
      ExitCode::preflight_failed,
      "the working tree '" + tree.root.string() + "' " + what + ", so environment.snapshot cannot copy it",
      std::move(hint),
      {}};
}

std::optional<Error> find_unreadable(const TreeList& list, const WorkTree& tree) {
  std::string first;
  std::size_t count = 0;
  for (const auto& entry : list.entries) {
    const auto path = tree.root / entry.name;
    if (entry.kind != EntryKind::file || faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0 ||
        errno == ENOENT)
      continue;
    if (++count == 1) first = path.string();
  }
  if (count == 0) return std::nullopt;
  const auto others = count == 1 ? "" : fmt::format(", and {} more files", count - 1);
  return Error{ExitCode::preflight_failed,
               "environment.snapshot cannot copy '" + first + "'" + others + ": permission denied",
               tree.kind == TreeKind::git ? "make it readable, or list it in .gitignore" : "make it readable",
               {}};
}

}  // namespace ddp::cli
