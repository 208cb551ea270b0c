#include "cli/source/work_tree.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "jobenv/record/files/durable_file.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostGitFileBytes = 64u << 10;
constexpr std::string_view kOtherFolder = "gitdir: ";

fs::path without_links_of(const fs::path& folder) {
  std::error_code error;
  auto real = fs::canonical(folder, error);
  return error ? folder.lexically_normal() : real;
}

}  // namespace

fs::path find_git_folder(const fs::path& tree) {
  std::error_code error;
  auto git = tree / ".git";
  if (fs::is_directory(git, error)) return git;
  const auto text = load_file(git, kMostGitFileBytes).value_or("");
  const auto line = text.substr(0, text.find('\n'));
  return line.starts_with(kOtherFolder) ? tree / line.substr(kOtherFolder.size()) : fs::path();
}

WorkTree find_work_tree(const fs::path& folder) {
  const fs::path start = without_links_of(folder);
  for (fs::path root = start;; root = root.parent_path()) {
    if (!find_git_folder(root).empty()) return {root, start.lexically_relative(root), TreeKind::git};
    if (root == root.parent_path()) break;
  }
  return {start, ".", TreeKind::plain};
}

bool lies_inside(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

}  // namespace ddp::cli
