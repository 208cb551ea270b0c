#include "cli/launchers/ssh/connection/sigpipe_block.hpp"

#include <pthread.h>

#include <ctime>

namespace ddp::cli {
namespace {

sigset_t only_sigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

}  // namespace

SigpipeBlock::SigpipeBlock() {
  const sigset_t sigpipe = only_sigpipe();
  pthread_sigmask(SIG_BLOCK, &sigpipe, &before_);
}

SigpipeBlock::~SigpipeBlock() {
  if (sigismember(&before_, SIGPIPE) == 1) return;  // within another one
  const sigset_t sigpipe = only_sigpipe();
  const timespec now{};
  while (sigtimedwait(&sigpipe, nullptr, &now) == SIGPIPE) continue;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace ddp::cli
