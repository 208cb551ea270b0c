#include "cli/output/standard_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace ddp::cli {

StandardOutput::StandardOutput(int descriptor) : descriptor_(descriptor) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

StandardOutput::int_type StandardOutput::overflow(int_type character) {
  if (write_buffer() == Written::failed) return traits_type::eof();
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  return sputc(traits_type::to_char_type(character));
}

int StandardOutput::sync() {
  return write_buffer() == Written::all ? 0 : -1;
}

StandardOutput::Written StandardOutput::write_buffer() {
  const char* next = pbase();
  while (error_ == 0 && next != pptr()) {
    const ssize_t count = write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
    if (count >= 0) {
      next += count;
    } else if (errno == EAGAIN) {  // the caller has made it non-blocking
      pollfd writable{descriptor_, POLLOUT, 0};
      poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0 ? Written::all : Written::failed;
}

void occupy_standard_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Read-only, so that a write to it fails.
    (void)open("/dev/null", O_RDONLY);
  }
}

}  // namespace ddp::cli
