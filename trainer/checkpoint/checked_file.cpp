#include "trainer/checkpoint/checked_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "trainer/checkpoint/crc32c.hpp"

namespace ddp::trainer {
namespace {

[[noreturn]] void throw_errno(int error, const char* verb, const std::filesystem::path& path) {
  throw std::system_error(error, std::generic_category(),
                          std::string("cannot ") + verb + " '" + path.string() + "'");
}

int open_or_throw(const std::filesystem::path& path, int flags, const char* verb) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (descriptor < 0) throw_errno(errno, verb, path);
  return descriptor;
}

/// A transfer is summed in pieces of this size, while the piece is still in the cache.
constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

CheckedWriter::CheckedWriter(std::filesystem::path path)
    : path_(std::move(path)),
      descriptor_(open_or_throw(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "create")) {}

CheckedWriter::~CheckedWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void CheckedWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), std::min(bytes.size(), kPiece));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw_errno(errno, "write", path_);
    const auto written = bytes.first(static_cast<std::size_t>(done));
    sum_.crc32c = crc32c(written, sum_.crc32c);
    sum_.size += written.size();
    bytes = bytes.subspan(written.size());
  }
}

FileSum CheckedWriter::finish() {
  // After a failed fsync the kernel may have dropped the pages: the file is lost, trying again would hide it.
  if (::fsync(descriptor_) != 0) throw_errno(errno, "fsync", path_);
  // Network file systems report a full disk here.
  if (::close(std::exchange(descriptor_, -1)) != 0) throw_errno(errno, "close", path_);
  return sum_;
}

CheckedReader::CheckedReader(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(open_or_throw(path_, O_RDONLY, "open")) {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    ::close(descriptor_);
    throw_errno(error, "stat", path_);
  }
  file_size_ = static_cast<std::uint64_t>(status.st_size);
}

CheckedReader::~CheckedReader() {
  ::close(descriptor_);
}

void CheckedReader::read(std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t done = ::read(descriptor_, into.data(), std::min(into.size(), kPiece));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw_errno(errno, "read", path_);
    if (done == 0) throw_errno(ENODATA, "read past the end of", path_);
    const auto filled = into.first(static_cast<std::size_t>(done));
    sum_.crc32c = crc32c(filled, sum_.crc32c);
    sum_.size += filled.size();
    into = into.subspan(filled.size());
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = open_or_throw(folder, O_RDONLY | O_DIRECTORY, "open folder");
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error != 0) throw_errno(error, "fsync folder", folder);
}

}  // namespace ddp::trainer
