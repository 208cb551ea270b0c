#include "cli/output/standard_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

namespace ddp::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{100};
constexpr std::chrono::seconds kPatienceAfterSignal{1};

/// Of any write: one signal is for all streams.
bool was_interrupted = false;

/// One that this process takes itself.
bool is_signal_pending() {
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

/// While it lives, a write that is held up returns with EINTR many times a second. A single interrupt could
/// come just before the write.
class Interrupts {
 public:
  Interrupts() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGALRM, &action, &before_);
    set_interval(kBetweenLooks);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts() {
    set_interval(std::chrono::microseconds{0});
    sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  static void set_interval(std::chrono::microseconds interval) {
    const timeval time{.tv_sec = 0, .tv_usec = interval.count()};
    const itimerval timer{.it_interval = time, .it_value = time};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }

  struct sigaction before_ {};
};

}  // namespace

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
  const Interrupts interrupts;
  std::size_t written = 0;
  auto deadline = steady_clock::now() + kPatienceAfterSignal;  // counts after a signal
  while (error_ == 0 && written < size) {
    const ssize_t count = write(descriptor_, begin + written, size - written);
    if (count > 0) {
      written += static_cast<std::size_t>(count);
      deadline = steady_clock::now() + kPatienceAfterSignal;
    } else if (count < 0 && errno == EAGAIN) {  // the caller has made it non-blocking
      pollfd writable{descriptor_, POLLOUT, 0};
      poll(&writable, 1, static_cast<int>(kBetweenLooks.count()));
    } else if (count < 0 && errno != EINTR) {
      error_ = errno;
      return written;
    }
    if (written == size) break;
    if (was_interrupted && steady_clock::now() >= deadline) error_ = EINTR;
    if (is_signal_pending()) {
      was_interrupted = true;
      break;
    }
  }
  return written;
}

void occupy_standard_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Read-only, so that a write to it fails.
    (void)open("/dev/null", O_RDONLY);
  }
}

}  // namespace ddp::cli
