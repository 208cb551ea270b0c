#include "trainer/data/files/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <utility>

namespace ddp::trainer {
namespace {

constexpr std::uint64_t kReadAhead = std::uint64_t{1} << 30;

/// Linux reads no more for one call than the device's read_ahead_kb, of which 128 is the usual value.
constexpr std::uint64_t kWindow = 128 << 10;

void fetch(int file, std::uint64_t end, const std::stop_token& stop) {
  for (std::uint64_t at = 0; at < end && !stop.stop_requested(); at += kWindow)
    posix_fadvise(file, static_cast<off_t>(at), kWindow, POSIX_FADV_WILLNEED);
}

}  // namespace

void refuse_file(const std::filesystem::path& path, const std::string& why) {
  throw std::runtime_error("cannot read '" + path.string() + "': " + why);
}

OpenFile::OpenFile(std::filesystem::path path)
    : path_(std::move(path)), file_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!file_.is_open()) refuse_file(path_, std::strerror(errno));
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) refuse_file(path_, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse_file(path_, std::strerror(S_ISDIR(status.st_mode) ? EISDIR : EINVAL));
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void OpenFile::read(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_file(path_, std::strerror(errno));
    if (got == 0)
      refuse_file(path_, "byte " + std::to_string(offset) + " is missing; it had " + std::to_string(size_) +
                             " bytes when it was opened");
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void OpenFile::read_ahead() {
  const int file = file_.get();
  const std::uint64_t end = std::min(size_, kReadAhead);
  if (end <= kWindow) return fetch(file, end, {});
  try {
    ahead_ = std::jthread([file, end](const std::stop_token& stop) { fetch(file, end, stop); });
  } catch (const std::system_error&) {  // a limit on threads: it is read as it is drawn
  }
}

}  // namespace ddp::trainer
