#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// The one loop of an agent: descriptors, timers, signals and children, all handled on the thread that calls
/// run(). Handlers may add and remove anything, themselves included.
class EventLoop {
 public:
  using WatchId = std::uint64_t;
  using TimerId = std::uint64_t;
  using IoHandler = std::function<void(std::uint32_t epoll_events)>;

  /// Blocks SIGCHLD and `signals` in the calling thread; each of `signals` that arrives while the loop runs
  /// goes to `on_signal`. The destructor restores the mask.
  [[nodiscard]] static Expected<std::unique_ptr<EventLoop>> create(const std::vector<int>& signals,
                                                                   std::function<void(int signal)> on_signal);
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  /// Level-triggered. The descriptor stays the caller's; forget() comes before its close.
  [[nodiscard]] Expected<WatchId> watch(int descriptor, std::uint32_t epoll_events, IoHandler handler);
  void change(WatchId watch, std::uint32_t epoll_events);
  void forget(WatchId watch);

  TimerId after(std::chrono::milliseconds delay, std::function<void()> handler);
  void cancel(TimerId timer);

  /// Calls `handler` once with the wait status of the child `pid`, which the loop reaps.
  void on_exit_of(pid_t pid, std::function<void(int status)> handler);
  /// `pid` is reaped by somebody else from now on.
  void forget_child(pid_t pid) { children_.erase(pid); }

  /// Handles events until quit().
  void run();

  /// The end of the last time in which this process did not run, as in a job that is suspended: nobody was
  /// silent for having said nothing until then.
  [[nodiscard]] std::chrono::steady_clock::time_point awake_since() const { return awake_since_; }
  void quit() { running_ = false; }

 private:
  struct Watch {
    int descriptor = -1;
    IoHandler handler;
  };
  struct Timer {
    TimerId id = 0;
    std::function<void()> handler;
  };
  using Clock = std::chrono::steady_clock;

  EventLoop(FileDescriptor epoll, FileDescriptor signals, const sigset_t& old_mask,
            std::function<void(int)> on_signal);
  void read_signals();
  void reap_children();
  void run_due_timers();
  void note_interruption(Clock::time_point began, int timeout);
  [[nodiscard]] int wait_milliseconds() const;

  FileDescriptor epoll_;
  FileDescriptor signals_;
  sigset_t old_mask_;
  std::function<void(int)> on_signal_;
  std::map<WatchId, std::shared_ptr<Watch>> watches_;
  std::multimap<Clock::time_point, Timer> timers_;
  std::map<pid_t, std::function<void(int)>> children_;
  std::uint64_t next_id_ = 1;
  Clock::time_point awake_since_ = Clock::now();
  bool running_ = false;
};

}  // namespace ddp::agent
