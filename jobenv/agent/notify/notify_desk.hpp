#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "jobenv/agent/controller/run_event.hpp"
#include "jobenv/agent/notify/failed_checkpoints.hpp"
#include "jobenv/agent/notify/notifier.hpp"

namespace ddp::agent {

/// Hears of all that happens to a run, and has the command under `notify` told what its file asks for.
/// Single-threaded, on head's loop.
class NotifyDesk {
 public:
  /// As for Notifier. Without a command in the plan it does nothing.
  NotifyDesk(EventLoop& loop, Notifier::Settings settings, Notifier::Record record);
  NotifyDesk(const NotifyDesk&) = delete;
  NotifyDesk& operator=(const NotifyDesk&) = delete;
  ~NotifyDesk() { loop_.cancel(timer_); }

  /// `events`: what earlier heads have recorded; `resumes_after`: the step that the first attempt of this
  /// head begins after.
  void begin(const std::vector<LedgerEvent>& events, std::uint64_t resumes_after);
  void take(const RunEvent& event);
  /// An event that head has just recorded.
  void take(const LedgerEvent& event);
  /// As that of Notifier.
  void finish(std::function<void()> done);

 private:
  [[nodiscard]] bool wants(NotifyEvent event) const { return wanted_.contains(event); }
  void take_step(int attempt, std::uint64_t step);
  void look_later();
  void look_for_failed_checkpoints();
  void notify(Notification notification);

  EventLoop& loop_;
  std::chrono::milliseconds interval_;
  std::string run_dir_;
  ProgramKind program_;
  std::set<NotifyEvent> wanted_;  ///< none: there is no command
  Notifier notifier_;
  std::optional<FailedCheckpoints> failed_checkpoints_;
  EventLoop::TimerId timer_ = 0;
  bool awaits_first_step_ = false;
  int attempt_ = 0;                     ///< the newest
  std::uint64_t begins_after_ = 0;      ///< a step up to this was done by somebody else
  std::optional<std::uint64_t> step_;   ///< the highest one of the ranks
  std::optional<std::uint64_t> steps_;  ///< of the whole run
};

}  // namespace ddp::agent
