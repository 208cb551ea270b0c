#include "jobenv/record/ledger/cancel_request.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "jobenv/record/events/events.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"

namespace ddp {
namespace {

using Events = std::vector<LedgerEvent>;
using Place = Events::const_iterator;

/// Whether it asks for a cancel, or may have done so and cannot be read.
bool is_cancel(const LedgerEvent& event) {
  return is<event::CancelRequested>(event) || may_hide_cancel(event);
}

bool is_last_word_of_head(const LedgerEvent& event) {
  const auto ended = as<event::RunEnded>(event);
  return ended && ended->exit_code;
}

/// A head that starts behind the last word of another one is of a later submission, whose intent is lost in
/// damaged lines. The place of that last word; the end of the ledger: there is no such head.
Place find_lost_submission(Place submission, const Events& events) {
  Place lost = events.end();
  for (auto word = submission, event = submission; event != events.end(); ++event) {
    if (is_last_word_of_head(*event)) word = event;
    if (is<event::HeadStarted>(*event) && is_last_word_of_head(*word)) lost = word;
  }
  return lost;
}

/// That of `token`, or the newest; the end of the ledger: there is none.
Place find_submission(const Events& events, const std::optional<std::string>& token) {
  const auto found = std::find_if(events.rbegin(), events.rend(), [&token](const LedgerEvent& event) {
    return is<event::SubmitIntent>(event) && (!token || token_of(event) == *token);
  });
  return found == events.rend() ? events.end() : std::prev(found.base());
}

/// Whether the token of a cancel tells which submission it is of. Where lines are lost and no intent has it,
/// that intent may be lost, too.
bool tells_submission(const LedgerEvent& cancel, const Events& events) {
  const auto token = token_of(cancel);
  return !token.empty() && (std::ranges::none_of(events, may_hide_submission) ||
                            find_submission(events, token) != events.end());
}

}  // namespace

bool is_cancel_requested(const Events& events) {
  const auto intent = find_submission(events, std::nullopt);
  const bool known = intent != events.end();
  const auto lost = find_lost_submission(known ? intent : events.begin(), events);
  const bool by_token = known && lost == events.end();
  const auto begin = lost != events.end() ? lost : known ? intent : events.begin();
  bool requested = false;
  for (auto event = events.begin(); event != events.end(); ++event) {
    if (!is_cancel(*event)) continue;
    requested |=
        by_token && tells_submission(*event, events) ? token_of(*event) == token_of(*intent) : event >= begin;
  }
  return requested;
}

bool is_cancel_requested(const Events& events, const std::string& token) {
  const auto intent = find_submission(events, token);
  return std::any_of(
             events.begin(), events.end(),
             [&](const LedgerEvent& event) { return is_cancel(event) && token_of(event) == token; }) ||
         std::any_of(intent, events.end(), [](const LedgerEvent& event) {
           return may_hide_cancel(event) && token_of(event).empty();
         });
}

}  // namespace ddp
