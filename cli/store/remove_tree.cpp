#include "cli/store/remove_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

Expected<void> cannot_delete(const fs::path& path, int error) {
  if (error == ENOENT) return {};
  return fail_errno(ExitCode::run_failed, "cannot delete '" + path.string() + "'", error);
}

/// Every name is looked up in the descriptor of its folder, so that no link can lead elsewhere.
class TreeRemoval {
 public:
  /// `name` is in the folder that `above` is open for; `path` is for messages.
  Expected<void> remove(int above, const std::string& name, const fs::path& path) {
    struct stat found {};
    if (fstatat(above, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return cannot_delete(path, errno);
    if (!S_ISDIR(found.st_mode)) return unlink(above, name, path, 0);
    const FileDescriptor folder(openat(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open() || fstat(folder.get(), &found) != 0) return cannot_delete(path, errno);
    if (!device_) device_ = found.st_dev;
    if (*device_ != found.st_dev)
      return fail(ExitCode::run_failed, "cannot delete '" + path.string() + "': it is another file system",
                  "unmount it first");
    if (auto removed = remove_contents(folder.get(), path); !removed) return removed;
    return unlink(above, name, path, AT_REMOVEDIR);
  }

 private:
  static Expected<void> unlink(int above, const std::string& name, const fs::path& path, int flags) {
    return unlinkat(above, name.c_str(), flags) == 0 ? Expected<void>() : cannot_delete(path, errno);
  }

  static std::vector<std::string> list(int folder) {
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(fcntl(folder, F_DUPFD_CLOEXEC, 0)), closedir);
    if (!stream) return names;
    while (const dirent* entry = readdir(stream.get())) {
      const std::string name = &entry->d_name[0];
      if (name != "." && name != "..") names.push_back(name);
    }
    return names;
  }

  /// Continues after an error and returns the first one.
  Expected<void> remove_contents(int folder, const fs::path& path) {
    Expected<void> result;
    for (const auto& name : list(folder)) {
      if (auto removed = remove(folder, name, path / name); !removed && result) result = std::move(removed);
    }
    return result;
  }

  std::optional<dev_t> device_;  // of the first folder
};

}  // namespace

Expected<void> remove_tree(const fs::path& folder) {
  return TreeRemoval().remove(AT_FDCWD, folder, folder);
}

}  // namespace ddp::cli
