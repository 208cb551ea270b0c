#include "cli/commands/watch/state_notes.hpp"

namespace ddp::cli {

void StateNotes::tell(const RunStatus& seen) {
  tell_knowledge(seen);
  tell_wait(seen);
}

void StateNotes::tell_knowledge(const RunStatus& seen) {
  const auto now = seen.state == RunState::unknown ? Known::no : Known::yes;
  const auto before = std::exchange(known_, now);
  if (now == before) return;
  if (now == Known::yes) return reporter_.note("run " + run_id_ + " is " + std::string(name_of(seen.state)));
  const auto nothing = "the state of run " + run_id_ + " is unknown";
  reporter_.note((seen.message.empty() ? nothing : seen.message) + "; asking again");
}

void StateNotes::tell_wait(const RunStatus& seen) {
  const bool awaits_hosts = seen.message.starts_with(kAwaitsHosts);
  if (reasons_ == WaitReasons::skip || seen.message.empty()) return;
  if (seen.state != RunState::queued && !awaits_hosts) return;
  if (std::exchange(reason_told_, seen.message) == seen.message) return;
  reporter_.note("run " + run_id_ + (awaits_hosts ? " " : " is queued: ") + seen.message);
}

}  // namespace ddp::cli
