#include "trainer/shm/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "trainer/shm/rank_process.hpp"

namespace ddp::trainer {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct stat facts_of(const FileDescriptor& file) {
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0) fail("cannot inspect shared memory");
  return facts;
}

/// What tells memory from all other on this host.
std::string identity_of(const FileDescriptor& file) {
  const struct stat facts = facts_of(file);
  return std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino);
}

/// Over it a process is sent a SIGXFSZ.
void refuse_more_than_the_limit(std::size_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur) return;
  errno = EFBIG;
  fail("cannot create " + std::to_string(bytes) + " bytes of shared memory");
}

}  // namespace

SharedMemory::SharedMemory(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {
  const auto size = static_cast<std::size_t>(facts_of(descriptor_).st_size);
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
  if (mapped == MAP_FAILED) fail("cannot map shared memory");
  data_ = static_cast<std::byte*>(mapped);
  size_ = size;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

SharedMemory SharedMemory::create(std::size_t bytes) {
  refuse_more_than_the_limit(bytes);
  FileDescriptor file(memfd_create("ddptrain", MFD_CLOEXEC));
  if (!file.is_open() || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
    fail("cannot create shared memory");
  }
  return SharedMemory(std::move(file));
}

void SharedMemory::reserve(std::size_t offset, std::size_t bytes) const {
  errno = posix_fallocate(descriptor_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes));
  if (errno != 0) fail("cannot reserve " + std::to_string(bytes) + " bytes of shared memory");
}

SharedMemory SharedMemory::open(const std::string& address) {
  const std::string path = address.substr(0, address.find(' '));
  const auto check = [&](const FileDescriptor& file) {
    if (!file.is_open()) fail("cannot open " + path);
    if (address == path + " " + identity_of(file)) return;
    errno = ESRCH;
    fail(path + " is not the memory that was shared");
  };
  // In another namespace the number may belong to another process: what it has open is not touched.
  check(FileDescriptor(::open(path.c_str(), O_PATH | O_CLOEXEC)));
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  check(file);
  return SharedMemory(std::move(file));
}

std::string SharedMemory::address() const {
  return "/proc/" + std::to_string(own_process_number()) + "/fd/" + std::to_string(descriptor_.get()) + " " +
         identity_of(descriptor_);
}

}  // namespace ddp::trainer
