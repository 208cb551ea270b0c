#include "cli/source/tree_copy.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "cli/source/folder_below.hpp"
#include "cli/source/link_target.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCopyChunk = 1u << 30;
constexpr mode_t kKeptMode = 0777;

constexpr int kOriginalGone = -1;  // beside values of errno

std::string advise_on_failed_copy(int error) {
  if (error == EACCES || error == EPERM) return "make it readable, or list it in .gitignore";
  if (error == ENOSPC || error == EDQUOT) return "free space where run_root is, or set another run_root";
  return "make the file system work for it, or turn environment.snapshot off";
}

tl::unexpected<Error> copy_failed(const fs::path& path, int error) {
  auto failed =
      fail_errno(ExitCode::run_failed, "cannot copy '" + path.string() + "' into the run folder", error);
  failed.value().hint = advise_on_failed_copy(error);
  return failed;
}

/// The errno, or 0.
int copy_by_reading(int from, int to) {
  std::array<char, 16384> buffer{};
  while (true) {
    const auto count = read_up_to(from, buffer.data(), buffer.size());
    if (count < 0) return errno;
    if (count == 0) return 0;
    if (const int error = write_all(to, {buffer.data(), static_cast<std::size_t>(count)}); error != 0)
      return error;
  }
}

/// In the kernel, as far as the two file systems can do that. Both descriptors stay where it has stopped, so
/// that reading goes on there.
int copy_contents(int from, int to) {
  if (ioctl(to, FICLONE, from) == 0) return 0;
  while (true) {
    const auto count = copy_file_range(from, nullptr, to, nullptr, kCopyChunk, 0);
    if (count > 0) continue;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG)) return errno;
    return copy_by_reading(from, to);  // at the end of the file it finds nothing
  }
}

/// The original is not there any longer, or something else has taken its place.
bool means_gone(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/// A folder that is open, and the name of a file in it.
struct FileIn {
  int folder;
  std::string name;
};

/// 0, an errno, or kOriginalGone.
int copy_file(const FileIn& from, const FileIn& to, std::uint64_t& bytes) {
  const FileDescriptor source(
      openat(from.folder, from.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat found {};
  if (!source.is_open()) return means_gone(errno) ? kOriginalGone : errno;
  if (fstat(source.get(), &found) != 0) return errno;
  if (!S_ISREG(found.st_mode)) return kOriginalGone;
  FileDescriptor target(
      openat(to.folder, to.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!target.is_open()) return errno;
  if (const int error = copy_contents(source.get(), target.get()); error != 0) return error;
  const std::array<timespec, 2> times{found.st_atim, found.st_mtim};
  if (futimens(target.get(), times.data()) != 0 || fchmod(target.get(), found.st_mode & kKeptMode) != 0)
    return errno;
  bytes += static_cast<std::uint64_t>(found.st_size);
  return target.close();
}

class TreeCopier {
 public:
  TreeCopier(const TreeList& list, const fs::path& root, const fs::path& copy)
      : list_(list), root_(root), source_(root, MissingFolders::keep), target_(copy, MissingFolders::make) {}

  Expected<CopiedTree> run() {
    for (const auto& entry : list_.entries) {
      const int failed = copy_entry(entry);
      if (failed == kOriginalGone) {
        copied_.gone.push_back(entry);
      } else if (failed != 0) {
        return copy_failed(root_ / entry.name, failed);
      } else if (entry.kind != EntryKind::folder) {
        ++copied_.files;
      }
    }
    if (target_.open({}) < 0) return copy_failed(root_, errno);  // of an empty list nothing else opens it
    return std::move(copied_);
  }

 private:
  int copy_entry(const TreeEntry& entry) {
    if (entry.kind == EntryKind::folder) return target_.open(entry.name) < 0 ? errno : 0;
    const auto name = entry.name.filename().string();
    const FileIn from{source_.open(entry.name.parent_path()), name};
    if (from.folder < 0) return means_gone(errno) ? kOriginalGone : errno;
    const FileIn to{target_.open(entry.name.parent_path()), name};
    if (to.folder < 0) return errno;
    return entry.kind == EntryKind::link ? copy_link(entry.name, to) : copy_file(from, to, copied_.bytes);
  }

  int copy_link(const fs::path& name, const FileIn& to) const {
    std::error_code error;
    const auto target = read_link_target(root_, name, error);
    if (error)
      return error == std::errc::invalid_argument || means_gone(error.value()) ? kOriginalGone
                                                                               : error.value();
    const auto text = target_in_copy(list_, root_, name, target);
    return symlinkat(text.c_str(), to.folder, to.name.c_str()) == 0 ? 0 : errno;
  }

  const TreeList& list_;
  const fs::path& root_;
  FolderBelow source_;
  FolderBelow target_;
  CopiedTree copied_;
};

}  // namespace

Expected<CopiedTree> copy_tree(const TreeList& list, const fs::path& root, const fs::path& copy) {
  std::error_code told_by_open;
  fs::create_directories(copy, told_by_open);
  return TreeCopier(list, root, copy).run();
}

}  // namespace ddp::cli
