#include "trainer/data/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace ddp::trainer {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw std::runtime_error("cannot read '" + path.string() + "': " + why);
}

[[noreturn]] void refuse(const std::filesystem::path& path, int errno_value) {
  refuse(path, std::strerror(errno_value));
}

}  // namespace

OpenFile::OpenFile(std::filesystem::path path)
    : path_(std::move(path)), file_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!file_.is_open()) refuse(path_, errno);
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) refuse(path_, errno);
  if (!S_ISREG(status.st_mode)) refuse(path_, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void OpenFile::read(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path_, errno);
    if (got == 0) refuse(path_, "it ends before byte " + std::to_string(offset + 1) + ", and has not before");
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void OpenFile::read_ahead() const {
  posix_fadvise(file_.get(), 0, 0, POSIX_FADV_WILLNEED);
}

}  // namespace ddp::trainer
