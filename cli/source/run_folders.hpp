#pragma once

#include <filesystem>
#include <map>

namespace ddp::cli {

/// Whether `folder` is that of a run or a sweep, or of one that is being deleted.
[[nodiscard]] bool is_run_folder(const std::filesystem::path& folder);

/// Tells what belongs to run folders, of whichever run_root. They may be in the working tree, and are not
/// copied with it.
class RunFolders {
 public:
  explicit RunFolders(std::filesystem::path root) : root_(std::move(root)) {}

  /// Whether the file `name`, a path below the root, is in one. Remembers what it has found of a folder.
  [[nodiscard]] bool hold(const std::filesystem::path& name);

 private:
  std::filesystem::path root_;
  std::map<std::filesystem::path, bool> known_;  // by the folder that a file is in
};

}  // namespace ddp::cli
