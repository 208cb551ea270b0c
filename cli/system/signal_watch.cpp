#include "cli/system/signal_watch.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace ddp::cli {

int SignalWatch::count_ = 0;

SignalWatch::SignalWatch(std::initializer_list<int> signals) {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : signals) sigaddset(&watched, signal);
  sigprocmask(SIG_BLOCK, &watched, &before_);
  descriptor_ = FileDescriptor(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  ++count_;
}

SignalWatch::~SignalWatch() {
  --count_;
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::optional<int> SignalWatch::take() {
  signalfd_siginfo info{};
  if (read(descriptor_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

bool SignalWatch::is_pending() {
  sigset_t pending;
  if (count_ == 0 || sigpending(&pending) != 0) return false;
  return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

}  // namespace ddp::cli
