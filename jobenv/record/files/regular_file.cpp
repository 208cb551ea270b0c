#include "jobenv/record/files/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace ddp {
namespace {

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

tl::unexpected<Error> refuse_kind(const std::filesystem::path& path, mode_t mode) {
  return fail(ExitCode::run_failed,
              "cannot read " + path.string() + ": it is " + kind_of(mode) + ", not a regular file",
              "remove it");
}

tl::unexpected<Error> refuse(const std::filesystem::path& path, int errno_value) {
  struct stat status {};
  // A socket cannot be opened at all.
  if (errno_value == ENXIO && stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return refuse_kind(path, status.st_mode);
  const ExitCode code = errno_value == ENOENT ? ExitCode::not_found : ExitCode::run_failed;
  return fail_errno(code, "cannot open " + path.string(), errno_value);
}

}  // namespace

Expected<RegularFile> open_regular_file(const std::filesystem::path& path, Links links) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (links == Links::refused ? O_NOFOLLOW : 0);
  FileDescriptor file(open(path.c_str(), flags | O_NONBLOCK));
  // Another host is about to give up its lease of a regular file, which is waited for.
  if (!file.is_open() && errno == EWOULDBLOCK) file = FileDescriptor(open(path.c_str(), flags));
  if (!file.is_open()) return refuse(path, errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return refuse(path, errno);
  if (!S_ISREG(status.st_mode)) return refuse_kind(path, status.st_mode);
  return RegularFile{std::move(file), static_cast<std::uint64_t>(status.st_size)};
}

}  // namespace ddp
