#include "jobenv/agent/process/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace ddp::agent {
namespace {

/// That a timer is late for nothing less on a busy machine.
constexpr std::chrono::seconds kInterruption{2};

}  // namespace

Expected<std::unique_ptr<EventLoop>> EventLoop::create(const std::vector<int>& signals,
                                                       std::function<void(int)> on_signal) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGCHLD);
  for (const int signal : signals) sigaddset(&mask, signal);
  FileDescriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.is_open()) return fail_errno(ExitCode::run_failed, "cannot create an event loop", errno);
  FileDescriptor signal_source(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signal_source.is_open()) return fail_errno(ExitCode::run_failed, "cannot receive signals", errno);
  sigset_t old_mask;
  sigprocmask(SIG_BLOCK, &mask, &old_mask);

  std::unique_ptr<EventLoop> loop(
      new EventLoop(std::move(epoll), std::move(signal_source), old_mask, std::move(on_signal)));
  EventLoop* self = loop.get();
  auto watched = self->watch(self->signals_.get(), EPOLLIN, [self](std::uint32_t) { self->read_signals(); });
  if (!watched) return tl::unexpected(watched.error());
  return loop;
}

EventLoop::EventLoop(FileDescriptor epoll, FileDescriptor signals, const sigset_t& old_mask,
                     std::function<void(int)> on_signal)
    : epoll_(std::move(epoll)),
      signals_(std::move(signals)),
      old_mask_(old_mask),
      on_signal_(std::move(on_signal)) {}

EventLoop::~EventLoop() {
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

Expected<EventLoop::WatchId> EventLoop::watch(int descriptor, std::uint32_t epoll_events, IoHandler handler) {
  const WatchId id = next_id_++;
  epoll_event event{};
  event.events = epoll_events;
  event.data.u64 = id;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
    return fail_errno(ExitCode::run_failed, "cannot watch descriptor " + std::to_string(descriptor), errno);
  }
  watches_.emplace(id, std::make_shared<Watch>(Watch{descriptor, std::move(handler)}));
  return id;
}

void EventLoop::change(WatchId watch, std::uint32_t epoll_events) {
  const auto found = watches_.find(watch);
  if (found == watches_.end()) return;
  epoll_event event{};
  event.events = epoll_events;
  event.data.u64 = watch;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, found->second->descriptor, &event);
}

void EventLoop::forget(WatchId watch) {
  const auto found = watches_.find(watch);
  if (found == watches_.end()) return;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second->descriptor, nullptr);
  watches_.erase(found);
}

EventLoop::TimerId EventLoop::after(std::chrono::milliseconds delay, std::function<void()> handler) {
  const TimerId id = next_id_++;
  timers_.emplace(Clock::now() + delay, Timer{id, std::move(handler)});
  return id;
}

void EventLoop::cancel(TimerId timer) {
  std::erase_if(timers_, [timer](const auto& entry) { return entry.second.id == timer; });
}

void EventLoop::on_exit_of(pid_t pid, std::function<void(int)> handler) {
  children_[pid] = std::move(handler);
  // The child may have ended before anybody asked: its SIGCHLD is pending or gone.
  after(std::chrono::milliseconds(0), [this] { reap_children(); });
}

void EventLoop::run() {
  running_ = true;
  std::array<epoll_event, 64> events{};
  while (running_) {
    const int timeout = wait_milliseconds();
    const auto began = Clock::now();
    const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout);
    note_interruption(began, timeout);
    for (int i = 0; i < count && running_; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const auto found = watches_.find(event.data.u64);
      if (found == watches_.end()) continue;  // forgotten by an earlier handler of this batch
      const std::shared_ptr<Watch> watch = found->second;
      watch->handler(event.events);
    }
    if (running_) run_due_timers();
  }
}

void EventLoop::read_signals() {
  signalfd_siginfo info{};
  while (running_ && read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) {
      reap_children();
    } else {
      on_signal_(static_cast<int>(info.ssi_signo));
    }
  }
}

void EventLoop::reap_children() {
  // Only the children that somebody waits for: a SIGCHLD may stand for several, and a handler may change the
  // map.
  std::vector<pid_t> pids;
  for (const auto& [pid, handler] : children_) pids.push_back(pid);
  for (const pid_t pid : pids) {
    int status = 0;
    if (!children_.contains(pid) || waitpid(pid, &status, WNOHANG) != pid) continue;
    const auto handler = std::move(children_.at(pid));
    children_.erase(pid);
    handler(status);
  }
}

/// A handler that took long is none: only in the wait has this process nothing else to do.
void EventLoop::note_interruption(Clock::time_point began, int timeout) {
  const auto now = Clock::now();
  if (timeout >= 0 && now - began > std::chrono::milliseconds(timeout) + kInterruption) awake_since_ = now;
}

void EventLoop::run_due_timers() {
  const auto now = Clock::now();
  while (running_ && !timers_.empty() && timers_.begin()->first <= now) {
    const auto handler = std::move(timers_.begin()->second.handler);
    timers_.erase(timers_.begin());
    handler();
  }
}

int EventLoop::wait_milliseconds() const {
  if (timers_.empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
}

}  // namespace ddp::agent
