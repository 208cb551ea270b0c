#include "jobenv/record/files/file_descriptor.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ddp {

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

int FileDescriptor::close() {
  const int number = std::exchange(number_, -1);
  if (number < 0 || ::close(number) == 0 || errno == EINTR)
    return 0;  // Linux closes it even when interrupted
  return errno;
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::ptrdiff_t read_up_to(int descriptor, char* into, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = read(descriptor, into + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<std::ptrdiff_t>(done);
}

}  // namespace ddp
