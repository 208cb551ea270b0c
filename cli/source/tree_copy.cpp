#include "cli/source/tree_copy.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "cli/source/link_target.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCopyChunk = 1u << 30;
constexpr mode_t kKeptMode = 0777;

tl::unexpected<Error> copy_failed(const fs::path& path, int error) {
  return fail_errno(ExitCode::run_failed, "cannot copy '" + path.string() + "' into the run folder", error);
}

/// The errno, or 0.
int copy_by_reading(int from, int to) {
  std::array<char, 1 << 16> buffer{};
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

/// 0, an errno, or ENOENT if the original is gone.
int copy_file(const fs::path& from, const fs::path& to, std::uint64_t& bytes) {
  const FileDescriptor source(open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat found {};
  if (!source.is_open() || fstat(source.get(), &found) != 0) return errno;
  if (!S_ISREG(found.st_mode)) return ENOENT;  // something else has taken its place
  FileDescriptor target(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!target.is_open()) return errno == ENOENT ? ESTALE : errno;
  if (const int error = copy_contents(source.get(), target.get()); error != 0) return error;
  const std::array<timespec, 2> times{found.st_atim, found.st_mtim};
  if (futimens(target.get(), times.data()) != 0 || fchmod(target.get(), found.st_mode & kKeptMode) != 0)
    return errno;
  bytes += static_cast<std::uint64_t>(found.st_size);
  return target.close();
}

int copy_link(const fs::path& root, const fs::path& name, const fs::path& to) {
  std::error_code error;
  const auto target = fs::read_symlink(root / name, error);
  if (error) return error == std::errc::invalid_argument ? ENOENT : error.value();
  return symlink(target_in_copy(root, name, target).c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Expected<CopiedTree> copy_tree(const TreeList& list, const fs::path& root, const fs::path& copy) {
  CopiedTree copied;
  std::error_code error;
  fs::create_directories(copy, error);
  for (const auto& entry : list.entries) {
    const fs::path to = copy / entry.name;
    if (!error) fs::create_directories(entry.kind == EntryKind::folder ? to : to.parent_path(), error);
    if (error) return copy_failed(root / entry.name, error.value());
    if (entry.kind == EntryKind::folder) continue;
    const int failed = entry.kind == EntryKind::link ? copy_link(root, entry.name, to)
                                                     : copy_file(root / entry.name, to, copied.bytes);
    if (failed != 0 && failed != ENOENT) return copy_failed(root / entry.name, failed);
    if (failed == 0) ++copied.files;
  }
  if (error) return copy_failed(root, error.value());
  return copied;
}

}  // namespace ddp::cli
