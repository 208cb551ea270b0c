#include "jobenv/agent/process/guarded_processes.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "jobenv/agent/process/reaper.hpp"
#include "jobenv/agent/process/wait_status.hpp"

namespace ddp::agent {
namespace {

/// A guard that was told to kill and does not end is stuck; it is killed then, and this process sweeps in its
/// place.
constexpr std::chrono::seconds kGuardPatience{5};
constexpr std::chrono::milliseconds kSweepPause{10};

}  // namespace

GuardedProcesses::~GuardedProcesses() {
  loop_.forget(watch_);
  loop_.cancel(timer_);
  if (guard_.pid > 0) loop_.forget_child(guard_.pid);
}

Expected<void> GuardedProcesses::start(const std::vector<GuardedProcess>& processes, int held) {
  auto guard = fork_guard(processes, held);
  if (!guard) return tl::unexpected(guard.error());
  guard_ = std::move(*guard);
  last_signal_ = 0;
  loop_.on_exit_of(guard_.pid, [this](int status) { on_guard_exit(status); });
  const auto watch = loop_.watch(guard_.socket.get(), EPOLLIN, [this](std::uint32_t) { read_guard(); });
  if (watch) {
    watch_ = *watch;
  } else {
    kill();  // cannot be heard from: its exit is still seen
  }
  return {};
}

void GuardedProcesses::signal(int signal) {
  if (!busy()) return;
  last_signal_ = signal;
  const GuardCommand command{signal};
  send(guard_.socket.get(), &command, sizeof command, MSG_NOSIGNAL);
}

void GuardedProcesses::kill() {
  if (!busy() || last_signal_ == SIGKILL) return;
  signal(SIGKILL);
  timer_ = loop_.after(kGuardPatience, [this] { ::kill(guard_.pid, SIGKILL); });
}

void GuardedProcesses::read_guard() {
  GuardReport report;
  while (true) {
    const ssize_t size = recv(guard_.socket.get(), &report, sizeof report, 0);
    if (size == sizeof report) {
      handlers_.on_report(report);
      continue;
    }
    // A command that the guard did not live to read resets the connection; its reports are still there.
    if (size < 0 && (errno == ECONNRESET || errno == EINTR)) continue;
    if (size == 0) loop_.forget(watch_);  // its exit follows
    return;
  }
}

void GuardedProcesses::on_guard_exit(int status) {
  read_guard();
  loop_.cancel(timer_);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return finish();
  const bool told = std::exchange(last_signal_, SIGKILL) == SIGKILL;
  sweep(told ? "" : describe_wait_status(status));
}

void GuardedProcesses::sweep(const std::string& why) {
  const auto reaped = [&](pid_t pid, int status) { handlers_.on_swept(pid, status, why); };
  if (sweep_round(reaped) == Children::none) return finish();
  timer_ = loop_.after(kSweepPause, [this, why] { sweep(why); });
}

void GuardedProcesses::finish() {
  loop_.forget(watch_);
  guard_ = Guard{};
  handlers_.on_gone();
}

}  // namespace ddp::agent
