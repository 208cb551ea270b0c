#include "jobenv/record/cancel_request.hpp"

#include <algorithm>
#include <string>

#include "jobenv/record/lenient_fields.hpp"

namespace ddp {
namespace {

/// Empty when there is none.
std::string token_of(const LedgerEvent& event) {
  return text_of(event.fields, "token");
}

}  // namespace

bool is_cancel_requested(const std::vector<LedgerEvent>& events) {
  const auto submission = std::find_if(events.rbegin(), events.rend(), [](const LedgerEvent& event) {
    return event.event == "submit_intent";
  });
  if (submission == events.rend()) {
    return std::ranges::find(events, "cancel_requested", &LedgerEvent::event) != events.end();
  }
  const std::string newest = token_of(*submission);
  bool requested = false;
  for (auto event = events.begin(); event != events.end(); ++event) {
    if (event->event != "cancel_requested") continue;
    const std::string token = token_of(*event);
    requested |= token.empty() ? event >= submission.base() : token == newest;
  }
  return requested;
}

}  // namespace ddp
