#include "jobenv/record/plan/notify_event.hpp"

#include <algorithm>

namespace ddp {

std::string_view name_of(NotifyEvent event) {
  switch (event) {
    case NotifyEvent::ended:
      return "ended";
    case NotifyEvent::failed:
      return "failed";
    case NotifyEvent::restarted:
      return "restarted";
    case NotifyEvent::requeued:
      return "requeued";
    case NotifyEvent::first_step:
      return "first_step";
    case NotifyEvent::hang_suspected:
      return "hang_suspected";
    case NotifyEvent::checkpoint_failed:
      return "checkpoint_failed";
  }
  return {};
}

std::optional<NotifyEvent> parse_notify_event(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kNotifyEvents, [name](NotifyEvent event) { return name_of(event) == name; });
  return found == kNotifyEvents.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ddp
