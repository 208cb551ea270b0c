#include "jobenv/agent/notify/notification.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "jobenv/agent/notify/url_credentials.hpp"
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

/// The message may begin with the state, too.
std::string render_end(RunState state, const std::string& message) {
  std::string words(name_of(state));
  const bool is_said = message.starts_with(words);
  const std::string rest = is_said ? message.substr(words.size()) : ": " + message;
  std::ranges::replace(words, '_', ' ');
  return " " + words + rest;
}

/// What follows the run in a line of text.
std::string render_news(const Notification& notification, const std::string& message) {
  switch (notification.event) {
    case NotifyEvent::ended:
    case NotifyEvent::failed:
      return render_end(notification.state, message);
    case NotifyEvent::restarted:
      return " restarts: " + message;
    case NotifyEvent::hang_suspected:
      return " may hang: " + message;
    case NotifyEvent::checkpoint_failed:
      return " could not write a checkpoint: " + message;
    case NotifyEvent::requeued:
    case NotifyEvent::first_step:
      break;
  }
  return ": " + message;
}

std::string on_one_line(std::string text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::ranges::replace_if(text, is_control, ' ');
  return text;
}

struct HiddenPart {
  std::string_view text;
  std::string name;
};

/// The values and their lines, the longest first: one may be a part of another.
std::vector<HiddenPart> parts_to_hide(const Secrets& secrets) {
  std::vector<HiddenPart> parts;
  const auto add = [&parts](std::string_view text, const std::string& name) {
    if (text.size() >= kShortestSecret) parts.push_back({text, name});
  };
  for (const auto& [name, value] : secrets) {
    add(value, name);
    std::string_view rest = value;
    for (auto end = rest.find_first_of("\r\n"); end != rest.npos; end = rest.find_first_of("\r\n")) {
      add(rest.substr(0, end), name);
      rest.remove_prefix(end + 1);
    }
    add(rest, name);
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, [](const auto& part) { return part.text.size(); });
  return parts;
}

/// Of text that may leave the machine.
std::string without_credentials(std::string text, const Secrets& secrets) {
  return without_url_credentials(without_secrets(std::move(text), secrets));
}

/// A secret may be whole only with, or only without the control characters in it, and before the line is cut.
std::string find_notified_cause(Cause cause, const Secrets& secrets) {
  cause.stderr_tail = without_credentials(std::move(cause.stderr_tail), secrets);
  return to_valid_utf8(without_credentials(likely_cause_of(cause), secrets));
}

/// Of the end of its stderr, which may hold anything, the one line that names the cause.
nlohmann::json render_notified_cause(Cause cause, const Secrets& secrets) {
  const auto likely = find_notified_cause(cause, secrets);
  cause.stderr_tail.clear();
  cause.what = without_credentials(std::move(cause.what), secrets);
  auto fields = to_json(std::move(cause));
  fields["likely_cause"] = likely.empty() ? nlohmann::json() : nlohmann::json(likely);
  return fields;
}

/// The news, and what is the likely cause of a failure.
std::string render_text(const Notification& notification, const std::string& message,
                        const Secrets& secrets) {
  auto text = render_news(notification, message);
  const auto likely = notification.cause ? find_notified_cause(*notification.cause, secrets) : "";
  return likely.empty() ? text : text + ". Likely cause: " + likely;
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
  for (const auto& hidden : parts_to_hide(secrets)) {
    const std::string instead = "[" + hidden.name + "]";
    for (auto at = text.find(hidden.text); at != std::string::npos;
         at = text.find(hidden.text, at + instead.size()))
      text.replace(at, hidden.text.size(), instead);
  }
  return text;
}

std::string render_notification(const Notification& notification, const NotifiedRun& run,
                                const Secrets& secrets) {
  const std::string message = to_valid_utf8(without_credentials(notification.message, secrets));
  const nlohmann::ordered_json json = {
      {"schema", "ddpsubmit.notification.v1"},
      {"event", name_of(notification.event)},
      {"time", render_time(notification.time)},
      {"text", on_one_line(run.run_id + render_text(notification, message, secrets))},
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
