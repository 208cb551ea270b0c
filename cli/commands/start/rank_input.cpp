#include "cli/commands/start/rank_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace ddp::cli {
namespace {

/// Until a process in the background is asked again whether it may read the terminal.
constexpr int kBackgroundPause = 500;  // milliseconds
constexpr std::string_view kEndOfInput = "\x04";

tl::unexpected<Error> no_terminal() {
  return fail_errno(ExitCode::run_failed, "cannot make a terminal for the stdin of rank 0", errno);
}

}  // namespace

Expected<std::unique_ptr<RankInput>> RankInput::open() {
  std::unique_ptr<RankInput> input(new RankInput());
  if (isatty(STDIN_FILENO) != 0) {
    if (auto opened = input->open_terminal(); !opened) return tl::unexpected(opened.error());
    return input;
  }
  // One that is closed stays so: rank 0 has none then.
  input->input_ = FileDescriptor(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return input;
}

Expected<void> RankInput::open_terminal() {
  keyboard_ = FileDescriptor(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  std::array<char, 64> name{};
  if (!keyboard_.is_open() || grantpt(keyboard_.get()) != 0 || unlockpt(keyboard_.get()) != 0 ||
      ptsname_r(keyboard_.get(), name.data(), name.size()) != 0)
    return no_terminal();
  input_ = FileDescriptor(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings{};
  if (!input_.is_open() || tcgetattr(input_.get(), &settings) != 0) return no_terminal();
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  (void)tcsetattr(input_.get(), TCSANOW, &settings);
  auto stop = make_pipe();
  if (!stop) return tl::unexpected(stop.error());
  stop_ = std::move(*stop);
  typing_ = std::thread([this] { type(); });
  return {};
}

void RankInput::type() {
  sigset_t of_background;
  sigemptyset(&of_background);
  sigaddset(&of_background, SIGTTIN);
  pthread_sigmask(SIG_BLOCK, &of_background, nullptr);
  std::array<char, 4096> typed{};
  std::array<pollfd, 2> watched{{{stop_.source.get(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
  while (poll(watched.data(), watched.size(), -1) < 0 || watched[0].revents == 0) {
    const auto size = read(STDIN_FILENO, typed.data(), typed.size());
    if (size > 0) {
      if (write_all(keyboard_.get(), {typed.data(), static_cast<std::size_t>(size)}) != 0) return;
    } else if (size < 0 && errno == EIO) {
      (void)poll(watched.data(), 1, kBackgroundPause);
    } else if (size == 0 || errno != EINTR) {
      (void)write_all(keyboard_.get(), kEndOfInput);
      return;
    }
  }
}

RankInput::~RankInput() {
  if (!typing_.joinable()) return;
  (void)write_all(stop_.sink.get(), "x");
  typing_.join();
}

}  // namespace ddp::cli
