#include "jobenv/agent/notify/notification.hpp"

#include <algorithm>

#include "jobenv/agent/process/log_tail.hpp"
#include "jobenv/record/fields/timestamp.hpp"

namespace ddp::agent {
namespace {

constexpr std::size_t kShortestSecret = 4;

NotifyEvent event_of_end(RunState state) {
  const bool well = state == RunState::succeeded || state == RunState::cancelled;
  return well ? NotifyEvent::ended : NotifyEvent::failed;
}

Notification notification_of_end(const event::RunEnded& end) {
  return {.event = event_of_end(end.state),
          .attempt = end.attempt.value_or(0),
          .state = end.state,
          .message = end.message,
          .exit_code = end.exit_code,
          .cause = end.cause};
}

Notification notification_of_restart(const event::Restarting& restart) {
  return {.event = NotifyEvent::restarted,
          .attempt = restart.attempt.value_or(0),
          .state = RunState::restarting,
          .message = restart.message,
          .resumes_from = restart.resumes_from,
          .cause = restart.cause};
}

Notification notification_of_requeue(const event::Requeued& requeue) {
  return {.event = NotifyEvent::requeued,
          .attempt = requeue.attempt.value_or(0),
          .state = RunState::queued,
          .message = requeue.message,
          .resumes_from = requeue.step};
}

Notification notification_of_hang(const event::HangSuspected& hang) {
  return {.event = NotifyEvent::hang_suspected, .attempt = hang.attempt.value_or(0), .message = hang.message};
}

std::optional<Notification> notification_without_time(const LedgerEvent& event) {
  if (const auto end = as<event::RunEnded>(event)) return notification_of_end(*end);
  if (const auto restart = as<event::Restarting>(event)) return notification_of_restart(*restart);
  if (const auto requeue = as<event::Requeued>(event)) return notification_of_requeue(*requeue);
  if (const auto hang = as<event::HangSuspected>(event)) return notification_of_hang(*hang);
  return std::nullopt;
}

/// What stands between the run and the message in a line of text.
std::string render_verb(const Notification& notification) {
  switch (notification.event) {
    case NotifyEvent::ended:
    case NotifyEvent::failed: {
      std::string state(name_of(notification.state));
      std::ranges::replace(state, '_', ' ');
      return " " + state + ": ";
    }
    case NotifyEvent::restarted:
      return " restarts: ";
    case NotifyEvent::hang_suspected:
      return " may hang: ";
    case NotifyEvent::checkpoint_failed:
      return " could not write a checkpoint: ";
    case NotifyEvent::requeued:
    case NotifyEvent::first_step:
      break;
  }
  return ": ";
}

std::string on_one_line(std::string text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::ranges::replace_if(text, is_control, ' ');
  return text;
}

/// Without the end of its stderr, which may hold anything.
nlohmann::json render_notified_cause(Cause cause, const Secrets& secrets) {
  cause.stderr_tail.clear();
  cause.what = without_secrets(cause.what, secrets);
  return to_json(std::move(cause));
}

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace

std::optional<Notification> notification_of(const LedgerEvent& event) {
  auto notification = notification_without_time(event);
  if (notification) notification->time = event.time;
  return notification;
}

std::string without_secrets(std::string text, const Secrets& secrets) {
  for (const auto& [name, value] : secrets) {
    if (value.size() < kShortestSecret) continue;
    const std::string instead = "[" + name + "]";
    for (auto at = text.find(value); at != std::string::npos; at = text.find(value, at + instead.size()))
      text.replace(at, value.size(), instead);
  }
  return text;
}

std::string render_notification(const Notification& notification, const NotifiedRun& run,
                                const Secrets& secrets) {
  const std::string message = to_valid_utf8(without_secrets(notification.message, secrets));
  const nlohmann::ordered_json json = {
      {"schema", "ddpsubmit.notification.v1"},
      {"event", name_of(notification.event)},
      {"time", render_time(notification.time)},
      {"text", on_one_line(run.run_id + render_verb(notification) + message)},
      {"run_id", run.run_id},
      {"name", run.name},
      {"run_dir", run.run_dir},
      {"launcher", run.launcher},
      {"job_id", run.job_id},
      {"host", run.host},
      {"user", run.user},
      {"attempt", notification.attempt},
      {"state", name_of(notification.state)},
      {"message", message},
      {"exit_code", or_null(notification.exit_code)},
      {"step", or_null(notification.step)},
      {"max_steps", or_null(notification.steps)},
      {"resumes_from", or_null(notification.resumes_from)},
      {"cause", notification.cause
                    ? nlohmann::ordered_json(render_notified_cause(*notification.cause, secrets))
                    : nlohmann::ordered_json()}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ddp::agent
