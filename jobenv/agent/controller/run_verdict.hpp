#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "jobenv/agent/controller/first_failure.hpp"
#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/controller/run_event.hpp"

namespace ddp::agent {

/// Everything that is known of an attempt when it is over.
struct AttemptOutcome {
  std::map<int, ExitRecord> records;  ///< by rank; a rank whose agent is lost has none
  std::optional<StopWanted> stop;     ///< why it was asked to stop
  std::optional<Failure> cause;       ///< the first failure
  std::set<std::string> unconfirmed;  ///< hosts that have not said that nothing is left on them
};

/// The highest step that any of its ranks has done.
[[nodiscard]] std::optional<std::uint64_t> last_step_of(const AttemptOutcome& outcome);

/// A rank that was named while it lived has said its last words since then.
void add_last_words(AttemptOutcome& outcome);

enum class OutcomeKind { succeeded, failed, stopped };

[[nodiscard]] OutcomeKind kind_of(const AttemptOutcome& outcome, const LaunchPlan& plan);

/// The end of a run whose last attempt this was.
[[nodiscard]] RunEnd conclude(const AttemptOutcome& outcome, const LaunchPlan& plan);

/// "requeued from outside (scontrol requeue)"
[[nodiscard]] std::string render_outside_requeue(const LauncherTraits& traits);

}  // namespace ddp::agent
