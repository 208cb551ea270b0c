#include "trainer/app/stop_signals.hpp"

#include <csignal>

namespace ddp::trainer {
namespace {

std::atomic<std::uint32_t>* stop_requested = nullptr;

void request_stop(int signal) {
  stop_requested->store(static_cast<std::uint32_t>(signal), std::memory_order_relaxed);
}

}  // namespace

void leave_stop_signals_to_agent() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void take_stop_signals(ProgressPage& page) {
  stop_requested = &page.stop_requested;
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGINT, SIGUSR2}) sigaction(signal, &action, nullptr);
}

}  // namespace ddp::trainer
