#include "trainer/data/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "jobenv/record/file_descriptor.hpp"

namespace ddp::trainer {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, int errno_value) {
  throw std::runtime_error("cannot read '" + path.string() + "': " + std::strerror(errno_value));
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) refuse(path, errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) refuse(path, errno);
  if (!S_ISREG(status.st_mode)) refuse(path, S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) refuse(path, errno);
  bytes_ = {static_cast<const std::uint8_t*>(start), size};
}

void MappedFile::read_ahead() const {
  if (!bytes_.empty()) madvise(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size(), MADV_WILLNEED);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace ddp::trainer
