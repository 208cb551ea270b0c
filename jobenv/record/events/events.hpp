#pragma once

#include <optional>
#include <string>

#include "jobenv/record/events/attempt_events.hpp"
#include "jobenv/record/events/event_fields.hpp"
#include "jobenv/record/events/ledger_event.hpp"
#include "jobenv/record/events/node_events.hpp"
#include "jobenv/record/events/rank_events.hpp"
#include "jobenv/record/events/submission_events.hpp"

/// The events of a ledger. Each is a struct that names itself, its writer and its fields; docs/ledger.md has
/// the same as a table.
namespace ddp::event {

struct DamagedLines {
  static constexpr const char* kName = "damaged_lines";
  static constexpr const char* kWriter = "none";
  static constexpr const char* kDoc =
      "Lines that cannot be read; never written: whoever loads the ledger puts this event in their place";
  std::string writer = {};
  std::string place = {};
  int lines = 0;
  std::optional<Time> after = {};
  std::string token = {};
  std::string launcher = {};
  std::string reason = {};

  void describe(EventFields& fields) {
    fields.always({"writer", "writer of the file"}, writer);
    fields.always({"place", "FILE:LINE of the first line"}, place);
    fields.always({"lines", "number of lines"}, lines);
    fields.always({"after", "time of the line before them"}, after);
    fields.if_set({"token", "token of the submission, if the lines or the name of the file show it"}, token);
    fields.if_set({"launcher", "launcher of the submission, if the lines show it"}, launcher);
    fields.if_set({"reason", "why the file cannot be read"}, reason);
  }
};

}  // namespace ddp::event

namespace ddp {

/// The fields of an event as they are written.
template <class Event>
[[nodiscard]] nlohmann::json fields_of(Event event) {
  EventWriter writer;
  event.describe(writer);
  return std::move(writer.fields);
}

template <class Event>
[[nodiscard]] bool is(const LedgerEvent& event) {
  return event.event == Event::kName;
}

/// nullopt: it is another event.
template <class Event>
[[nodiscard]] std::optional<Event> as(const LedgerEvent& event) {
  if (!is<Event>(event)) return std::nullopt;
  Event read;
  EventReader reader(event.fields);
  read.describe(reader);
  return read;
}

/// A line of the ledger with that event.
template <class Event>
[[nodiscard]] LedgerEvent make_ledger_event(std::chrono::system_clock::time_point time, const Event& event) {
  return {time, Event::kName, fields_of(event)};
}

/// Calls `visit` with a default value of each event, in the order of a run's life.
template <class Visit>
void for_each_event(Visit&& visit) {
  visit(event::SubmitIntent{});
  visit(event::Submitted{});
  visit(event::SubmitRefused{});
  visit(event::CancelRequested{});
  visit(event::HeadStarted{});
  visit(event::AttemptStarted{});
  visit(event::RankStarted{});
  visit(event::RankExited{});
  visit(event::KillOrdered{});
  visit(event::RankStalled{});
  visit(event::HangSuspected{});
  visit(event::HangOver{});
  visit(event::MpiNotConnected{});
  visit(event::StepsNotReported{});
  visit(event::StopRequested{});
  visit(event::AttemptEnded{});
  visit(event::Restarting{});
  visit(event::Requeued{});
  visit(event::Waiting{});
  visit(event::NodesMissing{});
  visit(event::NodesAwaited{});
  visit(event::NodesLost{});
  visit(event::NodesExcluded{});
  visit(event::ExclusionRefused{});
  visit(event::RequeueRefused{});
  visit(event::RunEnded{});
  visit(event::Notified{});
  visit(event::SweepStopped{});
  visit(event::DamagedLines{});
}

}  // namespace ddp
