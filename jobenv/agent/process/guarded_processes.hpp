#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/process/guard.hpp"
#include "jobenv/record/plan/waits.hpp"

namespace ddp::agent {

/// Processes under a guard, from their start until none of them nor of their descendants is left. Destroyed
/// before that, it leaves it to the guard to kill them. A guard can be stopped by its own ranks: one that is
/// silent for a lease gets CONT, and KILL a pulse later if it is still silent.
class GuardedProcesses {
 public:
  struct Handlers {
    std::function<void(const GuardReport& report)> on_report;
    /// A process that outlived its guard has been killed. `why` tells how the guard ended, or that it did not
    /// answer; empty when all was to be killed anyhow.
    std::function<void(pid_t pid, int status, const std::string& why)> on_swept;
    std::function<void()> on_gone;  ///< nothing is left; the last call
  };

  /// `loop` must outlive this. The handlers are called from within the loop's.
  GuardedProcesses(EventLoop& loop, const Waits& waits, Handlers handlers)
      : loop_(loop), waits_(waits), handlers_(std::move(handlers)) {}
  GuardedProcesses(const GuardedProcesses&) = delete;
  GuardedProcesses& operator=(const GuardedProcesses&) = delete;
  ~GuardedProcesses();

  /// What does not start is reported like an end. `held`: as for fork_guard.
  [[nodiscard]] Expected<void> start(const std::vector<GuardedProcess>& processes, int held = -1);

  void signal(int signal);
  /// To one of them alone.
  void signal(int id, int signal);
  /// Somebody else has asked them to stop.
  void expect_stop();
  /// Kills them and whatever they have left behind.
  void kill();

  /// The last one sent to all of them; 0: none.
  [[nodiscard]] int last_signal() const { return last_signal_; }
  /// Whether some are not reaped yet.
  [[nodiscard]] bool busy() const { return guard_.pid > 0; }

 private:
  void send_command(const GuardCommand& command);
  void read_guard();
  void take(const GuardReport& report);
  void look_at_guard();
  void wake_or_kill_guard();
  [[nodiscard]] std::chrono::steady_clock::duration silence_of_guard() const;
  void on_guard_exit(int status);
  void sweep(const std::string& why);
  void finish();

  enum class Woken { no, yes };

  EventLoop& loop_;
  Waits waits_;
  Handlers handlers_;
  Guard guard_;
  EventLoop::WatchId watch_ = 0;
  EventLoop::TimerId timer_ = 0;  ///< patience with a guard that was told to kill, then the sweep
  EventLoop::TimerId pulse_ = 0;
  std::chrono::steady_clock::time_point guard_heard_;
  Woken woken_ = Woken::no;  ///< since guard_heard_
  std::string given_up_;     ///< why this process has killed a guard that was not told to kill
  int last_signal_ = 0;
};

}  // namespace ddp::agent
