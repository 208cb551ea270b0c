#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace ddp {

/// What a run can tell of by the command under `notify`.
enum class NotifyEvent { ended, failed, restarted, requeued, first_step, hang_suspected, checkpoint_failed };

inline constexpr std::array kNotifyEvents = {NotifyEvent::ended,
                                             NotifyEvent::failed,
                                             NotifyEvent::restarted,
                                             NotifyEvent::requeued,
                                             NotifyEvent::first_step,
                                             NotifyEvent::hang_suspected,
                                             NotifyEvent::checkpoint_failed};

[[nodiscard]] std::string_view name_of(NotifyEvent event);
/// nullopt: there is no event of that name.
[[nodiscard]] std::optional<NotifyEvent> parse_notify_event(std::string_view name);

}  // namespace ddp
