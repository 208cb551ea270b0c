#include "cli/launchers/ssh/connection/proxy_fork.hpp"

#include <pthread.h>

#include <csignal>

namespace ddp::cli {
namespace {

thread_local bool forks_proxy = false;

/// In the child, between fork and exec.
void set_signals_of_proxy() {
  if (!forks_proxy) return;
  std::signal(SIGXFSZ, SIG_DFL);  // ddpsubmit ignores it
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGTERM);
  sigaddset(&taken, SIGPIPE);
  sigprocmask(SIG_UNBLOCK, &taken, nullptr);
  sigset_t held_back;
  sigemptyset(&held_back);
  sigaddset(&held_back, SIGINT);
  sigprocmask(SIG_BLOCK, &held_back, nullptr);
}

}  // namespace

ProxyFork::ProxyFork() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, set_signals_of_proxy);
  forks_proxy = true;
}

ProxyFork::~ProxyFork() {
  forks_proxy = false;
}

}  // namespace ddp::cli
