#pragma once

#include <sys/resource.h>

#include <functional>
#include <optional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/notify/notification.hpp"
#include "jobenv/agent/notify/notify_call.hpp"
#include "jobenv/agent/notify/notify_queue.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/plan/launch_plan.hpp"

namespace ddp::agent {

/// The environment of the command under `notify`: head's without ddpsubmit's own variables, then what the
/// file sets, then the secrets.
[[nodiscard]] EnvMap make_notify_environment(const EnvMap& environment, const LaunchPlan& plan,
                                             const Secrets& secrets);

/// Calls the command under `notify`, one call after another. Nobody waits for it, except at the end.
/// Single-threaded, on head's loop.
class Notifier {
 public:
  using Record = std::function<void(const event::Notified& notified)>;

  struct Settings {
    const LaunchPlan& plan;
    EnvMap environment;  ///< of head
    NotifiedRun run;
    Secrets secrets;
    std::optional<rlimit> descriptor_limit = {};  ///< RLIMIT_NOFILE, when head has changed its own
  };

  /// `loop` and the plan must outlive it. It calls `record` when a call has ended.
  Notifier(EventLoop& loop, Settings settings, Record record);
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;
  ~Notifier() {
    loop_.cancel(half_time_);
    loop_.cancel(deadline_);
  }

  void notify(Notification notification);
  /// Calls `done` once nothing is left. After half of Waits::notify it gives up all but the last, which tells
  /// of the end; after the other half that, too.
  void finish(std::function<void()> done);

 private:
  void call_next();
  [[nodiscard]] GuardedProcess make_process() const;
  void on_end(const NotifyCallEnd& end);
  void give_up_all_but_last();
  void give_up();
  void record_left_out(const Notification& notification, const std::string& why) const;

  EventLoop& loop_;
  Settings settings_;
  Record record_;
  EnvMap command_environment_;
  NotifyQueue queue_;
  std::optional<Notification> called_;  ///< what the call under way tells
  std::optional<NotifyCall> call_;
  EventLoop::TimerId half_time_ = 0;  ///< of finish()
  EventLoop::TimerId deadline_ = 0;   ///< the same
  bool gave_up_ = false;
  std::function<void()> finished_;
};

}  // namespace ddp::agent
