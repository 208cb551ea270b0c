#pragma once

#include <filesystem>

namespace ddp::cli {

/// How the files of a working tree are known.
enum class TreeKind {
  git,   ///< git lists them
  plain  ///< there is no repository: they are all files of the folder, but for those that are left out by
         ///< name
};

/// The files that a program is started among.
struct WorkTree {
  std::filesystem::path root;    ///< absolute, without links; of a repository the folder that has .git
  std::filesystem::path folder;  ///< where the program is started, below the root: "." or "experiments/a"
  TreeKind kind = TreeKind::plain;

  bool operator==(const WorkTree&) const = default;
};

/// That of `folder`, an absolute path. Reads no more than which folders have a .git.
[[nodiscard]] WorkTree find_work_tree(const std::filesystem::path& folder);

/// The folder with the data of git for the working tree `tree`; empty: it is none. In one that
/// `git worktree` has added, and in a submodule, .git is a file.
[[nodiscard]] std::filesystem::path find_git_folder(const std::filesystem::path& tree);

/// Whether `path` is `folder`, or below it. Both are in their shortest form. Pure.
[[nodiscard]] bool lies_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace ddp::cli
