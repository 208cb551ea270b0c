#include "jobenv/agent/notify/notify_desk.hpp"

#include <algorithm>
#include <utility>

namespace ddp::agent {
namespace {

using std::chrono::system_clock;

std::set<NotifyEvent> wanted_events(const LaunchPlan& plan) {
  std::set<NotifyEvent> wanted;
  if (plan.notify_command.empty()) return wanted;
  for (const auto& name : plan.notify_events) {
    if (const auto event = parse_notify_event(name)) wanted.insert(*event);
  }
  return wanted;
}

/// In the submission that is the newest in `events`.
bool was_told_of_first_step(const std::vector<LedgerEvent>& events) {
  bool told = false;
  for (const LedgerEvent& event : events) {
    if (is<event::SubmitIntent>(event)) told = false;
    const auto notified = as<event::Notified>(event);
    told |= notified && notified->notification == name_of(NotifyEvent::first_step);
  }
  return told;
}

}  // namespace

NotifyDesk::NotifyDesk(EventLoop& loop, Notifier::Settings settings, Notifier::Record record)
    : loop_(loop),
      interval_(settings.plan.waits.live),
      run_dir_(settings.plan.run_dir),
      program_(settings.plan.program),
      wanted_(wanted_events(settings.plan)),
      notifier_(loop, std::move(settings), std::move(record)) {}

void NotifyDesk::begin(const std::vector<LedgerEvent>& events, std::uint64_t resumes_after) {
  if (program_ == ProgramKind::trainer) begins_after_ = resumes_after;
  awaits_first_step_ = wants(NotifyEvent::first_step) && !was_told_of_first_step(events);
  if (!wants(NotifyEvent::checkpoint_failed)) return;
  failed_checkpoints_.emplace(run_dir_);
  look_later();
}

void NotifyDesk::take(const RunEvent& event) {
  const auto* said = std::get_if<AgentSaid>(&event);
  const auto* seen = said != nullptr ? std::get_if<RanksSeen>(&said->message) : nullptr;
  if (wanted_.empty() || seen == nullptr) return;
  for (const RankReading& reading : seen->ranks) {
    steps_ = std::max(steps_, reading.total_steps);
    if (reading.step) take_step(attempt_, *reading.step);
  }
}

void NotifyDesk::take(const LedgerEvent& event) {
  if (wanted_.empty()) return;
  if (const auto started = as<event::AttemptStarted>(event)) {
    attempt_ = started->attempt.value_or(attempt_);
    step_.reset();
  }
  const auto ended = as<event::AttemptEnded>(event);
  if (ended && ended->last_step) take_step(ended->attempt.value_or(attempt_), *ended->last_step);
  if (ended) look_for_failed_checkpoints();
  auto notification = notification_of(event);
  if (!notification || !wants(notification->event)) return;
  notification->step = step_;
  notification->steps = steps_;
  notifier_.notify(std::move(*notification));
}

void NotifyDesk::take_step(int attempt, std::uint64_t step) {
  step_ = std::max(step_, std::optional(step));
  if (!awaits_first_step_ || step <= begins_after_) return;
  awaits_first_step_ = false;
  notify({.event = NotifyEvent::first_step, .attempt = attempt, .message = "the first step is done"});
}

void NotifyDesk::look_later() {
  timer_ = loop_.after(interval_, [this] {
    look_for_failed_checkpoints();
    look_later();
  });
}

void NotifyDesk::look_for_failed_checkpoints() {
  if (!failed_checkpoints_) return;
  while (const auto failed = failed_checkpoints_->look()) {
    notify({.event = NotifyEvent::checkpoint_failed,
            .attempt = failed->attempt,
            .message = "step " + std::to_string(failed->step) + ": " + failed->message});
  }
}

void NotifyDesk::finish(std::function<void()> done) {
  loop_.cancel(timer_);
  notifier_.finish(std::move(done));
}

void NotifyDesk::notify(Notification notification) {
  notification.time = system_clock::now();
  notification.step = step_;
  notification.steps = steps_;
  notifier_.notify(std::move(notification));
}

}  // namespace ddp::agent
