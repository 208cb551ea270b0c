#include "jobenv/agent/head/head_ledger.hpp"

#include <algorithm>

namespace ddp::agent {
namespace {

constexpr AwaitedEvent kAwaited[] = {
    {event::HeadStarted::kName,
     "Head starts agents. Whoever finds the claim of an attempt can find out whether its head lives."},
    {event::StopRequested::kName,
     "Head asks the ranks to stop. Nobody takes what they leave for a failure or the loss of a node."},
    {event::AttemptEnded::kName,
     "Head claims another attempt or ends the run. No later head takes this attempt for lost."},
    {event::Restarting::kName,
     "Head starts the ranks again. The run shows each restart with its cause and what it cost."},
    {event::Requeued::kName,
     "Head asks the scheduler to start the job again, which may end head at once. The next head counts it."},
    {event::NodesLost::kName,
     "Head leaves the job to its next start, which excludes a node that is lost again."},
    {event::RunEnded::kName,
     "Head removes the secrets, lets the agents go and exits. Its exit code says what the ledger says."},
};

bool is_awaited(std::string_view event) {
  return std::ranges::find(kAwaited, event, &AwaitedEvent::name) != std::end(kAwaited);
}

}  // namespace

std::span<const AwaitedEvent> awaited_events() {
  return kAwaited;
}

HeadLedger::~HeadLedger() {
  if (end_of_turn_ != 0) sync();
}

void HeadLedger::write(std::string_view event, const nlohmann::json& fields) {
  if (is_awaited(event)) {
    const auto appended = writer_.append(event, fields, Durability::synced);
    if (appended) loop_.cancel(std::exchange(end_of_turn_, 0));
    return tell(appended);
  }
  tell(writer_.append(event, fields, Durability::visible));
  if (end_of_turn_ == 0) end_of_turn_ = loop_.after(std::chrono::milliseconds(0), [this] { sync(); });
}

void HeadLedger::sync() {
  loop_.cancel(std::exchange(end_of_turn_, 0));
  tell(writer_.sync());
}

void HeadLedger::tell(const Expected<void>& done) {
  if (!done) log_(done.error().message);
}

}  // namespace ddp::agent
