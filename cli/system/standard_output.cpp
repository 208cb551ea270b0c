#include "cli/system/standard_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "cli/system/signal_watch.hpp"

namespace ddp::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{50};

bool is_writable(int descriptor) {
  pollfd writable{descriptor, POLLOUT, 0};
  return poll(&writable, 1, static_cast<int>(kBetweenLooks.count())) > 0;
}

/// Not open: there is none, as of a socket or of another user's terminal.
FileDescriptor open_again(int descriptor) {
  struct stat status {};
  const bool is_named =
      fstat(descriptor, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
  if (!is_named || (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) return {};
  const auto path = "/proc/self/fd/" + std::to_string(descriptor);
  return FileDescriptor(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

StandardOutput::StandardOutput(int descriptor, HeldUpReader& reader)
    : descriptor_(descriptor), reader_(reader) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  struct stat status {};
  may_block_ = fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode);
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
  if (left_.empty()) {
    const auto size = static_cast<std::size_t>(pptr() - pbase());
    const auto written = write_some(pbase(), size);
    left_.assign(pbase() + written, size - written);
  } else {
    left_.append(pbase(), pptr());
    left_.erase(0, write_some(left_.data(), left_.size()));
  }
  if (error_ != 0) left_.clear();
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return error_ == 0 ? Written::all : Written::failed;
}

/// How much was written: all of it, unless the stream has failed or a signal waits to be taken.
std::size_t StandardOutput::write_some(const char* begin, std::size_t size) {
  std::size_t written = 0;
  auto progressed = steady_clock::now();
  const auto waits_to_be_taken = [this] { return reader_.signal_came && SignalWatch::is_pending(); };
  while (error_ == 0 && written < size && !waits_to_be_taken()) {
    const auto count = try_write(begin + written, size - written);
    written += count;
    if (count > 0) progressed = steady_clock::now();
    if (count > 0 || error_ != 0) continue;
    if (SignalWatch::is_pending()) {
      reader_.signal_came = true;
      break;
    }
    const bool is_over = reader_.given_up || steady_clock::now() - progressed >= reader_.patience;
    if (reader_.signal_came && is_over) {
      reader_.given_up = true;
      error_ = EINTR;
    } else {
      (void)is_writable(descriptor_);
    }
  }
  return written;
}

/// 0: the reader has no room now, or the write has failed. A descriptor that may block has room for PIPE_BUF
/// bytes when it is writable.
std::size_t StandardOutput::try_write(const char* begin, std::size_t size) {
  if (!own_) own_ = may_block_ ? open_again(descriptor_) : FileDescriptor();
  const bool waits = may_block_ && !own_->is_open();
  if (waits && !is_writable(descriptor_)) return 0;
  const auto part = waits ? std::min<std::size_t>(size, PIPE_BUF) : size;
  const ssize_t count = write(own_->is_open() ? own_->get() : descriptor_, begin, part);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno != EAGAIN && errno != EINTR) error_ = errno;
  return 0;
}

void occupy_standard_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Read-only, so that a write to it fails.
    (void)open("/dev/null", O_RDONLY);
  }
}

}  // namespace ddp::cli
