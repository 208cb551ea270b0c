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
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) refuse(path, errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) refuse(path, errno);
  if (S_ISDIR(status.st_mode)) refuse(path, EISDIR);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;
  void* start = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED) refuse(path, errno);
  madvise(start, size, MADV_WILLNEED);  // batches are drawn at random: read ahead all of it, as advice only
  bytes_ = {static_cast<const std::uint8_t*>(start), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace ddp::trainer
