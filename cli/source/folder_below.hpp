#pragma once

#include <filesystem>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {

/// What to do about folders that do not exist.
enum class MissingFolders { make, keep };

/// A folder whose path names are followed without links, so that nothing is read from or written to another
/// place. Remembers the folder that was opened last: most files have that of the one before.
class FolderBelow {
 public:
  FolderBelow(std::filesystem::path root, MissingFolders missing)
      : root_(std::move(root)), missing_(missing) {}

  /// Opens the folder `name` below the root; empty: the root, which is followed as it is. The descriptor is
  /// valid until the next call. -1 and errno on failure: ENOTDIR or ELOOP if a link is on the way.
  [[nodiscard]] int open(const std::filesystem::path& name);

 private:
  std::filesystem::path root_;
  MissingFolders missing_;
  std::filesystem::path name_;
  FileDescriptor folder_;
};

}  // namespace ddp::cli
