#include "trainer/checkpoint/checked_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "ddp/jobenv/own_progress.hpp"
#include "jobenv/record/files/crc32c.hpp"

namespace ddp::trainer {
namespace {

[[noreturn]] void throw_errno(int error, const char* verb, const std::filesystem::path& path) {
  throw std::system_error(error, std::generic_category(),
                          std::string("cannot ") + verb + " '" + path.string() + "'");
}

FileDescriptor open_or_throw(const std::filesystem::path& path, int flags, const char* verb) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (!file.is_open()) throw_errno(errno, verb, path);
  return file;
}

/// A transfer is summed in pieces of this size, while the piece is still in the cache.
constexpr std::size_t kPiece = std::size_t{1} << 20;
/// One part of this size is on its way to the disk while the next one is written.
constexpr std::uint64_t kWriteBack = std::uint64_t{64} << 20;

}  // namespace

CheckedWriter::CheckedWriter(std::filesystem::path path)
    : path_(std::move(path)),
      file_(open_or_throw(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "create")) {}

void CheckedWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kPiece));
    const int error = write_all(file_.get(), {reinterpret_cast<const char*>(piece.data()), piece.size()});
    if (error != 0) throw_errno(error, "write", path_);
    sum_.crc32c = crc32c(piece, sum_.crc32c);
    sum_.size += piece.size();
    count_part_of(Phase::checkpoint);
    write_back();
    bytes = bytes.subspan(piece.size());
  }
}

/// So that the fsync at the end is short, and nobody takes it for a hang. What fails here fails there.
void CheckedWriter::write_back() {
  if (sum_.size < written_back_ + 2 * kWriteBack) return;
  constexpr unsigned kWait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  const auto begin = static_cast<off64_t>(written_back_);
  ::sync_file_range(file_.get(), begin + static_cast<off64_t>(kWriteBack), kWriteBack, SYNC_FILE_RANGE_WRITE);
  ::sync_file_range(file_.get(), begin, kWriteBack, kWait);
  written_back_ += kWriteBack;
  count_part_of(Phase::checkpoint);
}

FileSum CheckedWriter::finish() {
  // After a failed fsync the kernel may have dropped the pages: the file is lost, trying again would hide it.
  if (::fsync(file_.get()) != 0) throw_errno(errno, "fsync", path_);
  if (const int error = file_.close(); error != 0) throw_errno(error, "close", path_);
  return sum_;
}

CheckedReader::CheckedReader(std::filesystem::path path)
    : path_(std::move(path)), file_(open_or_throw(path_, O_RDONLY | O_NONBLOCK, "open")) {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw_errno(errno, "stat", path_);
  if (!S_ISREG(status.st_mode)) throw std::runtime_error("'" + path_.string() + "' is not a regular file");
  file_size_ = static_cast<std::uint64_t>(status.st_size);
}

void CheckedReader::read(std::span<std::byte> into) {
  while (!into.empty()) {
    const auto piece = into.first(std::min(into.size(), kPiece));
    const std::ptrdiff_t done = read_up_to(file_.get(), reinterpret_cast<char*>(piece.data()), piece.size());
    if (done < 0) throw_errno(errno, "read", path_);
    if (static_cast<std::size_t>(done) < piece.size()) throw_errno(ENODATA, "read past the end of", path_);
    sum_.crc32c = crc32c(piece, sum_.crc32c);
    sum_.size += piece.size();
    count_part();
    into = into.subspan(piece.size());
  }
}

}  // namespace ddp::trainer
