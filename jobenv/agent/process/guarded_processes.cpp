#include "jobenv/agent/process/guarded_processes.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

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
  loop_.cancel(pulse_);
  if (guard_.pid > 0) loop_.forget_child(guard_.pid);
}

Expected<void> GuardedProcesses::start(const std::vector<GuardedProcess>& processes, int held) {
  auto guard = fork_guard(processes, held);
  if (!guard) return tl::unexpected(guard.error());
  guard_ = std::move(*guard);
  last_signal_ = 0;
  guard_heard_ = std::chrono::steady_clock::now();
  woken_ = Woken::no;
  given_up_.clear();
  pulse_ = loop_.after(waits_.pulse, [this] { look_at_guard(); });
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
  send_command({GuardCommand::Kind::signal, signal});
}

void GuardedProcesses::signal(int id, int signal) {
  if (busy()) send_command({GuardCommand::Kind::signal, signal, id});
}

void GuardedProcesses::expect_stop() {
  if (busy()) send_command({GuardCommand::Kind::expect_stop});
}

void GuardedProcesses::send_command(const GuardCommand& command) {
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
      take(report);
      continue;
    }
    // A command that the guard did not live to read resets the connection; its reports are still there.
    if (size < 0 && (errno == ECONNRESET || errno == EINTR)) continue;
    if (size == 0) loop_.forget(watch_);  // its exit follows
    return;
  }
}

void GuardedProcesses::take(const GuardReport& report) {
  guard_heard_ = std::chrono::steady_clock::now();
  woken_ = Woken::no;
  if (report.kind != GuardReport::Kind::alive) handlers_.on_report(report);
}

void GuardedProcesses::look_at_guard() {
  pulse_ = loop_.after(waits_.pulse, [this] { look_at_guard(); });
  if (silence_of_guard() > waits_.lease) return wake_or_kill_guard();
  send_command({});
}

/// The time for which this process did not run, as in a suspended job, does not count.
std::chrono::steady_clock::duration GuardedProcesses::silence_of_guard() const {
  return std::chrono::steady_clock::now() - std::max(guard_heard_, loop_.awake_since());
}

/// It is asked once more: this process itself may have waited for a disk, and have asked nothing.
void GuardedProcesses::wake_or_kill_guard() {
  if (std::exchange(woken_, Woken::yes) == Woken::no) {
    ::kill(guard_.pid, SIGCONT);
    return send_command({});
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence_of_guard()).count();
  given_up_ = "did not answer for " + std::to_string(seconds) + " s, not even after SIGCONT";
  ::kill(guard_.pid, SIGKILL);
}

void GuardedProcesses::on_guard_exit(int status) {
  read_guard();
  loop_.cancel(timer_);
  loop_.cancel(pulse_);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return finish();
  const bool told = std::exchange(last_signal_, SIGKILL) == SIGKILL;
  const std::string why = given_up_.empty() ? describe_wait_status(status) : given_up_;
  sweep(told ? "" : why);
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
